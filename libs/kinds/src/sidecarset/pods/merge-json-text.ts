/**
 * RFC 7386 on texts: what is not merged keeps its spelling (`1.0` and `1e3` stay, members their order), which a way through JavaScript's
 * values would not give.
 */
import { compareUtf8, goString, parseJsonText } from '@kruise/objects';

export type MergedText = { readonly kind: 'Merged'; readonly text: string } | { readonly kind: 'Refused'; readonly why: string };

/** A JSON value with its text, blanks taken out; an object with the texts of its members by name. */
interface Node {
  readonly text: string;
  readonly members?: ReadonlyMap<string, Node>;
}

const token = /[\s]+|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;

/** Go escapes these everywhere in JSON. */
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};
const escaped = (text: string): string => text.replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);

/** Reads the tokens of a text that is known to be JSON. */
class Reader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = (text.match(token) ?? []).filter((part) => part.trim() !== '');
  }

  read(): Node {
    const first = this.#take();
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    return { text: escaped(first) };
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? '';
  }

  #endsWith(end: string): boolean {
    if (this.#tokens[this.#next] !== end) return false;
    this.#next++;
    return true;
  }

  #object(): Node {
    const members = new Map<string, Node>();
    const texts: string[] = [];
    while (!this.#endsWith('}')) {
      const name = this.#take();
      this.#take();
      const value = this.read();
      members.set(parseJsonText(name) as string, value);
      texts.push(`${escaped(name)}:${value.text}`);
      this.#endsWith(',');
    }
    return { text: `{${texts.join(',')}}`, members };
  }

  #array(): Node {
    const texts: string[] = [];
    while (!this.#endsWith(']')) {
      texts.push(this.read().text);
      this.#endsWith(',');
    }
    return { text: `[${texts.join(',')}]` };
  }
}

function parse(text: string): Node | undefined {
  try {
    parseJsonText(text);
    return new Reader(text).read();
  } catch {
    return undefined;
  }
}

function objectOf(members: ReadonlyMap<string, Node>): Node {
  const sorted = [...members].sort(([a], [b]) => compareUtf8(a, b));
  return { text: `{${sorted.map(([name, value]) => `${goString(name)}:${value.text}`).join(',')}}`, members };
}

function merge(target: Node | undefined, patch: Node): Node {
  if (patch.members === undefined) return patch;
  const merged = new Map(target?.members);
  for (const [name, value] of patch.members) {
    if (value.text === 'null') merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  return objectOf(merged);
}

/**
 * @param text JSON of any kind
 * @param patch JSON of an object, or of an array, which replaces `text`
 * @returns the merged JSON; members of objects that were merged are sorted
 */
export function mergeJsonText(text: string, patch: string): MergedText {
  const target = parse(text);
  if (target === undefined) return { kind: 'Refused', why: 'the value of the Pod is not JSON' };
  const change = parse(patch);
  if (change === undefined || !/^[{[]/.test(change.text))
    return { kind: 'Refused', why: 'the patch is neither a JSON object nor an array' };
  return { kind: 'Merged', text: merge(target, change).text };
}
