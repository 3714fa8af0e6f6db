/** The objects of the scenarios are YAML files of this folder, in which `${name}` is replaced by a value. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** @returns what makes the object of these values; a file is parsed once */
export function manifest<T>(file: string): (values?: Readonly<Record<string, string | number>>) => T {
  const text = JSON.stringify(parse(readFileSync(join(import.meta.dirname, file), 'utf8')));
  return (values = {}) => JSON.parse(text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => String(values[name]))) as T;
}
