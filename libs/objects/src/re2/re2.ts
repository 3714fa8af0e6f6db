/**
 * RE2 expressions that users write: matched in a time linear in the length of the text, whatever the expression, which JavaScript's own
 * engine does not promise. Answers only whether there is a match.
 */
import { parseRe2 } from './parse.ts';
import { Re2Error, type Assertion, type CharacterSet, type SyntaxNode } from './syntax.ts';

/** One instruction of the machine that goes through the text; `next` and `other` are indexes of instructions. */
type Instruction =
  | { readonly kind: 'Character'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'Assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'Fork'; readonly next: number; readonly other: number }
  | { readonly kind: 'Match' };

/** Characters of an expression. */
const maxLength = 2000;
/** Bounds the work per character of the text, repetitions counted out. */
const maxInstructions = 2000;

/** A compiled expression, or why the text is none. `matches` finds it anywhere in the text, in time linear to it. */
export type CompiledRe2 =
  { readonly kind: 'Compiled'; readonly matches: (text: string) => boolean } | { readonly kind: 'Illegal'; readonly why: string };

/** Builds the program from its end: each node is told where to go on. */
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

  /** The fork is added first, for the body to come back to it. */
  #loop(node: SyntaxNode, next: number): number {
    const fork = this.add({ kind: 'Fork', next, other: next });
    this.program[fork] = { kind: 'Fork', next: this.node(node, fork), other: next };
    return fork;
  }
}

const isIn = ({ pieces, negated }: CharacterSet, point: string): boolean => pieces.some((piece) => piece.test(point)) !== negated;

const isWord = (point: string | undefined): boolean => point !== undefined && /^\w$/.test(point);

/** @param before undefined at the text's begin  @param after undefined at its end */
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

/** Goes every way through the expression at once, one character of the text after the other. */
class Machine {
  readonly #program: readonly Instruction[];
  /** At which position an instruction was last reached: each is looked at once per position. */
  readonly #seen: Int32Array;
  readonly #points: readonly string[];

  constructor(program: readonly Instruction[], text: string) {
    this.#program = program;
    this.#seen = new Int32Array(program.length).fill(-1);
    this.#points = Array.from(text);
  }

  run(start: number): boolean {
    let threads: readonly number[] | undefined = [];
    for (let at = 0; at <= this.#points.length && threads !== undefined; at += 1) threads = this.#step(at, [start, ...threads]);
    return threads === undefined;
  }

  /**
   * @param pending instructions to go on from at this position; taken over
   * @returns those to go on from at the next one; undefined when the expression has matched
   */
  #step(at: number, pending: number[]): readonly number[] | undefined {
    const threads: number[] = [];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (this.#seen[index] === at) continue;
      this.#seen[index] = at;
      const instruction = this.#program[index] as Instruction;
      if (instruction.kind === 'Match') return undefined;
      if (instruction.kind === 'Fork') pending.push(instruction.other, instruction.next);
      else if (this.#passes(instruction, at)) (instruction.kind === 'Assert' ? pending : threads).push(instruction.next);
    }
    return threads;
  }

  #passes(instruction: Extract<Instruction, { kind: 'Assert' | 'Character' }>, at: number): boolean {
    const point = this.#points[at];
    if (instruction.kind === 'Assert') return holds(instruction.assertion, this.#points[at - 1], point);
    return point !== undefined && isIn(instruction.set, point);
  }
}

/**
 * Compiles an expression of whatever origin; make it once, ask it often.
 *
 * @returns `matches`: whether there is a match anywhere in the text; its time grows with the length of the text times that of the
 * expression, never faster. `Illegal` for what RE2 has not (back references, looking around), and for expressions of over 2000
 * characters or, with repetitions counted out, 2000 parts.
 */
export function compileRe2(expression: string): CompiledRe2 {
  if (expression.length > maxLength) return { kind: 'Illegal', why: `expression is longer than ${String(maxLength)} characters` };
  try {
    const compiler = new Compiler();
    const start = compiler.node(parseRe2(expression), compiler.add({ kind: 'Match' }));
    return { kind: 'Compiled', matches: (text) => new Machine(compiler.program, text).run(start) };
  } catch (error) {
    if (error instanceof Re2Error) return { kind: 'Illegal', why: `error parsing regexp: ${error.message}` };
    throw error;
  }
}
