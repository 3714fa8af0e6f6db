/**
 * RE2 expressions of users, matched in a time linear in the length of the text for any expression, which JavaScript's own engine does not guarantee.
 * Answers only whether there is a match.
 */
import { parseRe2 } from './parse.ts';
import { Re2Error, type Assertion, type CharacterSet, type SyntaxNode } from './syntax.ts';

/** One instruction of the machine; `next` and `other` are indexes of instructions. */
type Instruction =
  | { readonly kind: 'Character'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'Assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'Fork'; readonly next: number; readonly other: number }
  | { readonly kind: 'Match' };

/** Maximum of characters of an expression. */
const maxLength = 2000;
/** Bounds the work for each character of the text, with repetitions expanded. */
const maxInstructions = 2000;

/** A compiled expression, or why the text is invalid. `matches` searches the whole text, in linear time. */
export type CompiledRe2 =
  { readonly kind: 'Compiled'; readonly matches: (text: string) => boolean } | { readonly kind: 'Illegal'; readonly why: string };

/** Builds the program from its end: each node receives the instruction to continue with. */
class Compiler {
  readonly program: Instruction[] = [];

  add(instruction: Instruction): number {
    if (this.program.length >= maxInstructions) throw new Re2Error('expression is too large');
    return this.program.push(instruction) - 1;
  }

  node(node: SyntaxNode, next: number): number {
    switch (node.kind) {
      case 'Set':
        return this.add({ kind: 'Character', set: node, next });
      case 'Assert':
        return this.add({ kind: 'Assert', assertion: node.assertion, next });
      case 'Sequence':
        return node.nodes.reduceRight((after, inner) => this.node(inner, after), next);
      case 'Choice':
        return node.nodes
          .map((inner) => this.node(inner, next))
          .reduceRight((other, start) => this.add({ kind: 'Fork', next: start, other }));
      case 'Repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ node, min, max }: Extract<SyntaxNode, { kind: 'Repeat' }>, next: number): number {
    let start = max === undefined ? this.#loop(node, next) : next;
    for (let i = min; max !== undefined && i < max; i += 1) start = this.add({ kind: 'Fork', next: this.node(node, start), other: next });
    for (let i = 0; i < min; i += 1) start = this.node(node, start);
    return start;
  }

  /** The fork is added first, so that the body can return to it. */
  #loop(node: SyntaxNode, next: number): number {
    const fork = this.add({ kind: 'Fork', next, other: next });
    this.program[fork] = { kind: 'Fork', next: this.node(node, fork), other: next };
    return fork;
  }
}

const isIn = ({ pieces, negated }: CharacterSet, point: string): boolean => pieces.some((piece) => piece.test(point)) !== negated;

const isWord = (point: string | undefined): boolean => point !== undefined && /^\w$/.test(point);

/** Returns whether an assertion holds. @param before undefined at the text's begin @param after undefined at its end */
function holds(assertion: Assertion, before: string | undefined, after: string | undefined): boolean {
  switch (assertion) {
    case 'TextBegin':
      return before === undefined;
    case 'TextEnd':
      return after === undefined;
    case 'LineBegin':
      return before === undefined || before === '\n';
    case 'LineEnd':
      return after === undefined || after === '\n';
    case 'WordBoundary':
      return isWord(before) !== isWord(after);
    case 'NoWordBoundary':
      return isWord(before) === isWord(after);
  }
}

const passes = (
  instruction: Extract<Instruction, { kind: 'Assert' | 'Character' }>,
  before: string | undefined,
  point: string | undefined,
): boolean =>
  instruction.kind === 'Assert' ? holds(instruction.assertion, before, point) : point !== undefined && isIn(instruction.set, point);

/** What assertions need of the previous character: only its sort, so that positions that differ in nothing else share a state. */
type Before = undefined | '\n' | 'a' | ' ';

const sortOf = (point: string): Before => (point === '\n' ? '\n' : isWord(point) ? 'a' : ' ');

/** A position between two characters of a text: the states of all paths through the expression, and what is known of the next characters. */
interface State {
  readonly threads: readonly number[];
  readonly before: Before;
  /** By the next character, '' for the end of the text; undefined when the expression has matched. */
  readonly next: Map<string, State | undefined>;
}

/** Maximum of cached threads and transitions. Beyond it the cache is cleared. */
const mostRemembered = 20_000;

/**
 * Follows every path through the expression in parallel, one character of the text after the other. The result of a state and a character is computed
 * once and cached, for many texts as well as for a long one.
 */
class Machine {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  readonly #states = new Map<string, State>();
  #remembered = 0;

  constructor(program: readonly Instruction[], start: number) {
    this.#program = program;
    this.#start = start;
  }

  matches(text: string): boolean {
    let state = this.#stateAt([], undefined);
    for (const point of text) {
      const next = this.#after(state, point);
      if (next === undefined) return true;
      state = next;
    }
    return this.#after(state, '') === undefined;
  }

  #after(state: State, point: string): State | undefined {
    if (state.next.has(point)) return state.next.get(point);
    const threads = this.#step(state, point === '' ? undefined : point);
    const next = threads && this.#stateAt(threads, sortOf(point));
    state.next.set(point, next);
    this.#remember(1);
    return next;
  }

  #remember(more: number): void {
    this.#remembered += more;
    if (this.#remembered <= mostRemembered) return;
    this.#states.clear();
    this.#remembered = 0;
  }

  #stateAt(threads: readonly number[], before: Before): State {
    const key = `${before ?? ''} ${threads.join()}`;
    const held = this.#states.get(key);
    if (held !== undefined) return held;
    const made = { threads, before, next: new Map<string, State | undefined>() };
    this.#states.set(key, made);
    this.#remember(threads.length + 1);
    return made;
  }

  /** Returns the instructions to continue with after `point`; undefined when the expression has matched. */
  #step({ threads, before }: State, point: string | undefined): readonly number[] | undefined {
    const seen = new Uint8Array(this.#program.length);
    const pending = [this.#start, ...threads];
    const next: number[] = [];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (seen[index] === 1) continue;
      seen[index] = 1;
      const instruction = this.#program[index] as Instruction;
      if (instruction.kind === 'Match') return undefined;
      if (instruction.kind === 'Fork') pending.push(instruction.other, instruction.next);
      else if (passes(instruction, before, point)) (instruction.kind === 'Assert' ? pending : next).push(instruction.next);
    }
    return next;
  }
}

/**
 * Compiles an expression of any origin. Compile it once and use it often.
 *
 * @returns `matches`: whether there is a match anywhere in the text; its time grows with the length of the text times that of the expression, never
 * faster. `Illegal` for what RE2 lacks (back references, lookaround), and for expressions of over 2000 characters or, with repetitions expanded, 2000
 * parts.
 */
export function compileRe2(expression: string): CompiledRe2 {
  if (expression.length > maxLength) return { kind: 'Illegal', why: `expression is longer than ${String(maxLength)} characters` };
  try {
    const compiler = new Compiler();
    const start = compiler.node(parseRe2(expression), compiler.add({ kind: 'Match' }));
    const machine = new Machine(compiler.program, start);
    return { kind: 'Compiled', matches: (text) => machine.matches(text) };
  } catch (error) {
    if (error instanceof Re2Error) return { kind: 'Illegal', why: `error parsing regexp: ${error.message}` };
    throw error;
  }
}
