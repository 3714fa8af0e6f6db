/** Checked access to the fields of a configuration file. Each error names the file and the field; none quotes a value. */
import { isJsonObject, type JsonObject } from '@kruise/objects';
import { ConfigError } from './cluster-config.ts';

/** Reads the fields of one configuration file. Each method throws `ConfigError` for a field of the wrong type. */
export class ConfigReader {
  readonly file: string;
  readonly #path: string;
  readonly #members: JsonObject;

  private constructor(members: JsonObject, file: string, path: string) {
    this.#members = members;
    this.file = file;
    this.#path = path;
  }

  /** Returns a reader for the whole content of a file. */
  static of(content: unknown, file: string): ConfigReader {
    if (!isJsonObject(content)) throw new ConfigError(`${file}: must contain an object`);
    return new ConfigReader(content, file, '');
  }

  /** Returns a reader without fields in place of an absent field of `parent`. */
  static empty(parent: ConfigReader, member: string): ConfigReader {
    return new ConfigReader({}, parent.file, parent.#pathOf(member));
  }

  complaint(field: string, what: string): ConfigError {
    return new ConfigError(`${this.file}: ${this.#pathOf(field)}: ${what}`);
  }

  has(field: string): boolean {
    return this.#value(field) !== undefined;
  }

  keys(): readonly string[] {
    return Object.keys(this.#members);
  }

  /** Returns the text of a field, undefined when it is absent, null or empty. */
  text(field: string): string | undefined {
    const value = this.#value(field);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw this.complaint(field, 'must be a string');
    return value;
  }

  flag(field: string): boolean | undefined {
    const value = this.#value(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'boolean') throw this.complaint(field, 'must be true or false');
    return value;
  }

  oneOf<const A extends string>(field: string, allowed: readonly A[]): A | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    const found = allowed.find((one) => one === value);
    if (found === undefined) throw this.complaint(field, `must be one of ${allowed.join(', ')}`);
    return found;
  }

  texts(field: string): readonly string[] {
    const value = this.#value(field) ?? [];
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) throw this.complaint(field, 'must be a list of strings');
    return value as readonly string[];
  }

  object(field: string): ConfigReader | undefined {
    const value = this.#value(field);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) throw this.complaint(field, 'must be an object');
    return new ConfigReader(value, this.file, this.#pathOf(field));
  }

  objects(field: string): readonly ConfigReader[] {
    const value = this.#value(field) ?? [];
    if (!Array.isArray(value)) throw this.complaint(field, 'must be a list');
    return (value as unknown[]).map((item, index) => {
      if (!isJsonObject(item)) throw this.complaint(`${field}[${index}]`, 'must be an object');
      return new ConfigReader(item, this.file, `${this.#pathOf(field)}[${index}]`);
    });
  }

  /** Returns the decoded text of a base64 field. */
  base64(field: string): string | undefined {
    const value = this.text(field)?.replace(/\s/g, '');
    if (value === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) throw this.complaint(field, 'must be base64');
    return Buffer.from(value, 'base64').toString('utf8');
  }

  url(field: string, protocols: readonly string[]): string | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw this.complaint(field, `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    }
    return value;
  }

  requiredUrl(field: string, protocols: readonly string[]): string {
    const value = this.url(field, protocols);
    if (value === undefined) throw this.complaint(field, 'is required');
    return value;
  }

  #value(field: string): unknown {
    return Object.hasOwn(this.#members, field) ? (this.#members[field] ?? undefined) : undefined;
  }

  #pathOf(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }
}
