/** The objects of a text in YAML or JSON, with their places in it. */
import type { LintedObject } from '@kruise/insight/lint';
import { isJsonObject, messageOf } from '@kruise/objects';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import { kubectlYaml } from '../objects/kubectl-yaml.ts';
import { annotatedIds, ignoreComments, type Extent } from './ignored.ts';
import { offsetOf } from './field-path.ts';

/** A file, or another origin of a text. */
export interface SourceText {
  /** Such as the path of the file. */
  readonly place: string;
  readonly text: string;
}

/** A place in a text, beginning with 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An object of a text. */
export interface SourceObject {
  readonly place: string;
  readonly object: LintedObject;
  readonly extent: Extent;
  /** Returns where a field is, or the innermost field around it that is written. */
  readonly locate: (path: string) => Position;
}

/** Why a part of a text cannot be read. */
interface SourceFault extends Position {
  readonly place: string;
  readonly message: string;
}

/** What a text contains. */
export interface Source {
  readonly objects: readonly SourceObject[];
  readonly faults: readonly SourceFault[];
}

/** More than an API server accepts in one request. Larger texts take minutes to parse. */
const mostCharacters = 16 * 2 ** 20;

/** Where the line after an offset begins; negative after the last one. */
const nextLine = (text: string, offset: number): number => {
  const end = text.indexOf('\n', offset);
  return end < 0 ? end : end + 1;
};

class SourceReader {
  readonly objects: SourceObject[] = [];
  readonly faults: SourceFault[] = [];
  readonly #place: string;
  readonly #text: string;
  readonly #lines = new LineCounter();

  constructor({ place, text }: SourceText) {
    this.#place = place;
    this.#text = text;
    for (let start = 0; start >= 0; start = nextLine(text, start)) this.#lines.addNewLine(start);
  }

  read(): Source {
    if (this.#text.length > mostCharacters) this.#fault(0, `the text has more than ${mostCharacters / 2 ** 20} MiB: split it`);
    else if (this.#text.includes('\0')) this.#fault(this.#text.indexOf('\0'), 'the text contains NUL bytes: it is not YAML or JSON');
    else this.#documents();
    return { objects: this.objects, faults: this.faults };
  }

  #documents(): void {
    const documents = parseAllDocuments(this.#text, kubectlYaml);
    if (!Array.isArray(documents)) return;
    const comments = ignoreComments(this.#text);
    let end = 0;
    for (const document of documents as readonly Document.Parsed[]) {
      const [from, to] = [this.#position(end).line, this.#position(document.range[1]).line];
      end = document.range[2];
      const [error] = document.errors;
      if (error !== undefined) this.#fault(error.pos[0], error.message);
      else
        this.#document(
          document,
          comments.filter(({ line }) => line >= from && line <= to),
        );
    }
  }

  #document(document: Document.Parsed, comments: Extent['comments']): void {
    const at = (path: string): number => offsetOf(document, path);
    let content: unknown;
    try {
      content = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      this.#fault(at(''), messageOf(error));
      return;
    }
    if (content !== null && content !== undefined) this.#content(content, { path: '', at, comments });
  }

  /** Reads an object, or the items of a list. */
  #content(
    content: unknown,
    where: { readonly path: string; readonly at: (path: string) => number; readonly comments: Extent['comments'] },
  ): void {
    const { path, at, comments } = where;
    const what = path === '' ? 'the document' : path;
    if (!isJsonObject(content)) return this.#fault(at(path), `${what} is not an object`);
    const { apiVersion, kind, items } = content;
    for (const [name, value] of Object.entries({ apiVersion, kind }))
      if (typeof value !== 'string' || value === '') return this.#fault(at(path), `${what} has no ${name}`);
    if (String(kind).endsWith('List') && Array.isArray(items)) {
      const pathOf = (i: number): string => `${path === '' ? '' : `${path}.`}items[${i}]`;
      const lineOf = (i: number): number => this.#position(at(pathOf(i))).line;
      const inItem = (i: number): Extent['comments'] => {
        const [first, own] = [this.#commentedFrom(lineOf(0)), this.#commentedFrom(lineOf(i))];
        return comments.filter(({ line }) => line < first || line >= own);
      };
      (items as readonly unknown[]).forEach((item, i) =>
        this.#content(item, { ...where, path: pathOf(i), comments: comments.length === 0 ? comments : inItem(i) }),
      );
      return;
    }
    const prefix = (field: string): string => (path === '' || field === '' ? `${path}${field}` : `${path}.${field}`);
    const locate = (field: string): Position => this.#position(at(prefix(field)));
    const extent = { firstLine: locate('').line, comments, annotated: annotatedIds(content) };
    this.objects.push({ place: this.#place, object: content as LintedObject, extent, locate });
  }

  /** Returns the first of the lines with comments alone directly before a line: the comments of an item, but not those in the item before it. */
  #commentedFrom(line: number): number {
    const { lineStarts } = this.#lines;
    let from = line;
    while (from > 1 && /^\s*(#|$)/.test(this.#text.slice(lineStarts[from - 2], lineStarts[from - 1]))) from--;
    return from;
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #fault(offset: number, message: string): void {
    this.faults.push({ place: this.#place, ...this.#position(offset), message });
  }
}

/** Reads every document. A faulty one does not keep the others from being read. */
export const readSource = (source: SourceText): Source => new SourceReader(source).read();
