/** The flags of a command line after parsing. */

/** What a flag came to. */
export type FlagValue = string | boolean | number | readonly string[];

/** The values of all flags of a command. A name or a kind that the table does not have is a mistake of the program and throws. */
export class FlagValues {
  readonly #values: ReadonlyMap<string, FlagValue>;
  readonly #given: ReadonlySet<string>;

  constructor(values: ReadonlyMap<string, FlagValue>, given: ReadonlySet<string>) {
    this.#values = values;
    this.#given = given;
  }

  text(name: string): string {
    const value = this.#value(name);
    if (typeof value !== 'string') throw new Error(`--${name} is no text`);
    return value;
  }

  /** Of a global flag as text; '' where the command has a flag of its own by this name. */
  global(name: string): string {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : '';
  }

  bool(name: string): boolean {
    const value = this.#value(name);
    if (typeof value !== 'boolean') throw new Error(`--${name} is no bool`);
    return value;
  }

  /** Of `int`; of `duration` in milliseconds. */
  number(name: string): number {
    const value = this.#value(name);
    if (typeof value !== 'number') throw new Error(`--${name} is no number`);
    return value;
  }

  list(name: string): readonly string[] {
    const value = this.#value(name);
    if (typeof value !== 'object') throw new Error(`--${name} is no list`);
    return value;
  }

  /** Whether the command line has the flag. */
  given(name: string): boolean {
    return this.#given.has(name);
  }

  /** Whether the command has the flag. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  #value(name: string): FlagValue {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`no flag --${name} in the table`);
    return value;
  }
}
