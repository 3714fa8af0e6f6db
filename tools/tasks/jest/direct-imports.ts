/**
 * Rewrites imports from the projects of this repository so that each name comes from the file that declares it.
 *
 * A test file that imports one name from `@kruise/api` would otherwise load all of that project, and Jest loads every module again for every test file:
 * without this rewriting a test file loads 250 modules on average, with it 130. Programs are not affected, as only Jest uses it.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface Exported {
  /** Absolute path of the file that declares the name, or of a folder's index that gets it in another way. */
  readonly file: string;
  /** Its name in that file. */
  readonly name: string;
}

type Exports = ReadonlyMap<string, Exported>;

/** e.g. `export { a, type B, c as d } from './x.ts';` */
const reExport = /^export (?!type )\{([^}]*)\} from '(\.[^']+)';/gm;
/** Of transformed code: a line for each statement, and no types. */
const importOfProject = /(?<=^|\*\/ )(import|export) \{([^}]*)\} from ["'](@kruise\/[^"']+)["'];/gm;

interface Name {
  readonly outer: string;
  readonly inner: string;
}

/** @param inside of the braces. @returns names of values, those of types omitted */
const namesIn = (inside: string): readonly Name[] =>
  inside
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => {
      const [inner = '', outer = inner] = part.split(/\s+as\s+/);
      return { inner, outer };
    });

const isIndex = (file: string): boolean => /[/\\](index|testing)\.ts$/.test(file);

/** @param index a file that exports names of others. @returns all names that it exports so, whatever indexes lie between */
function exportsOf(index: string): Exports {
  const found = new Map<string, Exported>();
  for (const [, inside = '', from = ''] of readFileSync(index, 'utf8').matchAll(reExport)) {
    const file = join(dirname(index), from);
    const further: Exports = isIndex(file) ? exportsOf(file) : new Map();
    for (const { inner, outer } of namesIn(inside)) found.set(outer, further.get(inner) ?? { file, name: inner });
  }
  return found;
}

export class DirectImports {
  readonly #entries: ReadonlyMap<string, Exports>;

  /** @param entries the file behind each specifier, e.g. `@kruise/kube/testing` */
  constructor(entries: ReadonlyMap<string, string>) {
    this.#entries = new Map([...entries].map(([specifier, file]) => [specifier, exportsOf(file)]));
  }

  /** Changes whenever the result of {@link rewrite} may. Paths in it are relative to `root`. */
  key(root: string): string {
    return JSON.stringify(
      [...this.#entries].map(([specifier, names]) => [
        specifier,
        [...names].map(([outer, { file, name }]) => [outer, relative(root, file), name]),
      ]),
    );
  }

  /** @param code of `filename`, without types. @returns the same code, line by line, with imports from declaring files */
  rewrite(code: string, filename: string): string {
    return code.replaceAll(importOfProject, (statement: string, keyword: string, inside: string, specifier: string) => {
      const names = this.#entries.get(specifier);
      if (names === undefined) return statement;
      const byPath = new Map<string, string[]>();
      for (const { inner, outer } of namesIn(inside)) {
        const declared = names.get(inner);
        const path = declared === undefined ? specifier : pathFrom(filename, declared.file);
        byPath.set(path, [...(byPath.get(path) ?? []), `${declared?.name ?? inner} as ${outer}`]);
      }
      return [...byPath].map(([path, parts]) => `${keyword} { ${parts.join(', ')} } from '${path}';`).join(' ');
    });
  }
}

function pathFrom(filename: string, file: string): string {
  const path = relative(dirname(filename), file).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}
