import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DirectImports } from './direct-imports.ts';

let folder: string;
let imports: DirectImports;

const entry = (): ReadonlyMap<string, string> => new Map([['@kruise/a', join(folder, 'a/index.ts')]]);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-imports-'));
  mkdirSync(join(folder, 'a/inner'), { recursive: true });
  writeFileSync(
    join(folder, 'a/index.ts'),
    [
      "export { one, type Two, three as drei } from './numbers.ts';",
      'export {',
      '  deep,',
      "} from './inner/index.ts';",
      "export type { Four } from './numbers.ts';",
      'export const own = 1;',
    ].join('\n'),
  );
  writeFileSync(join(folder, 'a/inner/index.ts'), "export { low as deep } from './low.ts';");
  imports = new DirectImports(entry());
});
afterAll(() => rmSync(folder, { recursive: true }));

const rewritten = (code: string): string => imports.rewrite(code, join(folder, 'b/user.ts'));

describe('an import from a project', () => {
  it.each([
    ['comes from the declaring file', "import { one } from '@kruise/a';", "import { one as one } from '../a/numbers.ts';"],
    ['keeps its name in the importing file', "import { one as eins } from '@kruise/a';", "import { one as eins } from '../a/numbers.ts';"],
    [
      'may have another name in the declaring file',
      "import { drei } from '@kruise/a';",
      "import { three as drei } from '../a/numbers.ts';",
    ],
    ['goes through indexes in between', "import { deep } from '@kruise/a';", "import { low as deep } from '../a/inner/low.ts';"],
    [
      'of several files stays on one line',
      "import { one, deep } from '@kruise/a';",
      "import { one as one } from '../a/numbers.ts'; import { low as deep } from '../a/inner/low.ts';",
    ],
    [
      'follows a comment',
      "/** A file. */ import { one } from '@kruise/a';",
      "/** A file. */ import { one as one } from '../a/numbers.ts';",
    ],
    ['may be an export', "export { one } from '@kruise/a';", "export { one as one } from '../a/numbers.ts';"],
  ])('%s', (_name, code, then) => {
    expect(rewritten(`${code}\nconst x = 1;`)).toBe(`${then}\nconst x = 1;`);
  });

  it.each([
    ['of a name that the index declares', "import { own as own } from '@kruise/a';"],
    ['of another project', "import { one } from '@kruise/b';"],
    ['of everything', "import * as a from '@kruise/a';"],
    ['in the middle of a line', "const text = `import { one } from '@kruise/a';`;"],
  ])('is left alone: one %s', (_name, code) => {
    expect(rewritten(code)).toBe(code);
  });
});

describe('the key', () => {
  it('changes with what an index exports, and not with the folder of the project', () => {
    const before = imports.key(folder);
    expect(before).not.toContain(folder);
    expect(new DirectImports(entry()).key(folder)).toBe(before);
    writeFileSync(join(folder, 'a/inner/index.ts'), "export { high as deep } from './high.ts';");
    expect(new DirectImports(entry()).key(folder)).not.toBe(before);
  });
});
