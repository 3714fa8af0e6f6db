/** Parses the syntax of RE2 (as in Go's package regexp). @see https://github.com/google/re2/wiki/Syntax */
import { anyCharacter, bracketClass, escapedSet, singleCharacter } from './character-class.ts';
import { Reader } from './reader.ts';
import { Re2Error, type Assertion, type Flags, type SyntaxNode } from './syntax.ts';

const maxRepeat = 1000;
const maxGroups = 200;

const assertion = (kind: Assertion): SyntaxNode => ({ kind: 'Assert', assertion: kind });
const sequence = (nodes: readonly SyntaxNode[]): SyntaxNode => ({ kind: 'Sequence', nodes });

const escapedAssertions: Readonly<Record<string, Assertion>> = { A: 'TextBegin', z: 'TextEnd', b: 'WordBoundary', B: 'NoWordBoundary' };

interface Bounds {
  readonly min: number;
  readonly max: number | undefined;
}

const simpleBounds: Readonly<Record<string, Bounds>> = {
  '*': { min: 0, max: undefined },
  '+': { min: 1, max: undefined },
  '?': { min: 0, max: 1 },
};

const isIllegal = ({ min, max = min }: Bounds): boolean => max > maxRepeat || max < min;

/** Parses `{n}`, `{n,}`, `{n,m}`. Anything else in braces is plain text and is not consumed. */
function countedBounds(reader: Reader): Bounds | undefined {
  const mark = reader.mark;
  const text = (reader.skip('{') ? reader.takeUntil('}') : undefined) ?? '';
  const [, min, rest] = /^(\d{1,6})(|,\d{0,6})$/.exec(text) ?? [];
  if (min === undefined || rest === undefined) {
    reader.back(mark);
    return undefined;
  }
  const max = rest === ',' ? undefined : Number(rest.slice(1) || min);
  const bounds = { min: Number(min), max };
  if (isIllegal(bounds)) throw new Re2Error(`invalid repeat count: \`{${text}}\``);
  return bounds;
}

function boundsAt(reader: Reader): Bounds | undefined {
  const simple = Object.hasOwn(simpleBounds, reader.next) ? simpleBounds[reader.next] : undefined;
  if (simple === undefined) return countedBounds(reader);
  reader.take();
  return simple;
}

class Parser {
  readonly #reader: Reader;
  #depth = 0;

  constructor(text: string) {
    this.#reader = new Reader(text);
  }

  whole(): SyntaxNode {
    const node = this.#choice({ i: false, m: false, s: false });
    if (!this.#reader.done) throw new Re2Error('unexpected )');
    return node;
  }

  #choice(flags: Flags): SyntaxNode {
    const state = { flags };
    const nodes = [this.#sequence(state)];
    while (this.#reader.skip('|')) nodes.push(this.#sequence(state));
    return { kind: 'Choice', nodes };
  }

  /** Parses a sequence. @param state flags set in the middle of a group hold until its end */
  #sequence(state: { flags: Flags }): SyntaxNode {
    const nodes: SyntaxNode[] = [];
    while (!this.#reader.done && !this.#reader.starts('|') && !this.#reader.starts(')')) {
      const mark = this.#reader.mark;
      const bounds = boundsAt(this.#reader);
      // A repetition applies to the last character of a quotation, and to what is before `(?i)`.
      if (bounds === undefined) nodes.push(...this.#atoms(state));
      else nodes.push(this.#repeated(nodes.pop(), bounds, mark));
    }
    return sequence(nodes);
  }

  #repeated(node: SyntaxNode | undefined, bounds: Bounds, mark: number): SyntaxNode {
    this.#reader.skip('?');
    if (node === undefined) throw new Re2Error(`missing argument to repetition operator: \`${this.#reader.since(mark)}\``);
    if (boundsAt(this.#reader) !== undefined) throw new Re2Error('invalid nested repetition operator');
    return { kind: 'Repeat', node, ...bounds };
  }

  /** Parses one atom, except for a quotation and for flags. */
  #atoms(state: { flags: Flags }): readonly SyntaxNode[] {
    if (this.#reader.skip('\\Q')) return this.#quotation(state.flags);
    const atom = this.#atom(state);
    return atom === undefined ? [] : [atom];
  }

  #atom(state: { flags: Flags }): SyntaxNode | undefined {
    const { flags } = state;
    const point = this.#reader.take();
    switch (point) {
      case '(':
        return this.#group(state);
      case '[':
        return bracketClass(this.#reader, flags.i);
      case '.':
        return anyCharacter(flags.s);
      case '^':
        return assertion(flags.m ? 'LineBegin' : 'TextBegin');
      case '$':
        return assertion(flags.m ? 'LineEnd' : 'TextEnd');
      case '\\':
        return this.#escape(flags);
      default:
        return singleCharacter(point, flags.i);
    }
  }

  #escape(flags: Flags): SyntaxNode {
    if (this.#reader.done) throw new Re2Error('trailing backslash at end of expression');
    const kind = Object.hasOwn(escapedAssertions, this.#reader.next) ? escapedAssertions[this.#reader.next] : undefined;
    if (kind === undefined) return escapedSet(this.#reader, flags.i);
    this.#reader.take();
    return assertion(kind);
  }

  /** Parses `\Q...\E`, or to the end. */
  #quotation(flags: Flags): readonly SyntaxNode[] {
    const text = this.#reader.takeUntil('\\E') ?? this.#reader.takeWhile(/[^]/u);
    return Array.from(text, (point) => singleCharacter(point, flags.i));
  }

  /** Parses a group; undefined for `(?i)`. */
  #group(state: { flags: Flags }): SyntaxNode | undefined {
    const inner = this.#groupFlags(state);
    if (inner === undefined) return undefined;
    this.#depth += 1;
    if (this.#depth > maxGroups) throw new Re2Error('expression nests too deeply');
    const node = this.#choice(inner);
    this.#depth -= 1;
    if (!this.#reader.skip(')')) throw new Re2Error('missing closing )');
    return node;
  }

  /** Returns the flags inside the group; undefined for `(?i)`, which holds for the rest of the group around it. */
  #groupFlags(state: { flags: Flags }): Flags | undefined {
    if (!this.#reader.skip('?')) return state.flags;
    if (this.#reader.skip('P<') || this.#reader.skip('<')) return this.#named(state.flags);
    const text = this.#reader.takeWhile(/[imsU-]/);
    const end = this.#reader.next;
    if (!/^[imsU]*(-[imsU]+)?$/.test(text) || (end !== ')' && end !== ':'))
      throw new Re2Error(`invalid or unsupported Perl syntax: \`(?${text}${end}\``);
    this.#reader.take();
    const [on = '', off = ''] = text.split('-');
    const is = (flag: 'i' | 'm' | 's'): boolean => (state.flags[flag] || on.includes(flag)) && !off.includes(flag);
    const flags = { i: is('i'), m: is('m'), s: is('s') };
    if (end === ':') return flags;
    state.flags = flags;
    return undefined;
  }

  #named(flags: Flags): Flags {
    const name = this.#reader.takeUntil('>');
    if (name === undefined || !/^\w+$/.test(name)) throw new Re2Error('invalid named capture');
    return flags;
  }
}

/** Parses an expression. @throws Re2Error for a text that is no RE2 expression */
export const parseRe2 = (text: string): SyntaxNode => new Parser(text).whole();
