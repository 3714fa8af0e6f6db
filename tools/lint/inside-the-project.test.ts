import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { insideTheProject } from './inside-the-project.mjs';

const root = '/home/me/project';
const plugins = { kruise: { rules: { 'inside-the-project': insideTheProject(root) } } };
const refused = (code: string, file = 'libs/api/src/x.test.js'): number =>
  new Linter({ cwd: root }).verify(code, [{ plugins, rules: { 'kruise/inside-the-project': 'error' } }], `${root}/${file}`).length;

describe('lint', () => {
  it.each([
    "join(import.meta.dirname, '../../../../neighbour/facts')",
    "new URL('../../../../neighbour/facts/', import.meta.url)",
    'read(`../../../../neighbour/${name}`)',
    "const beside = '../../../..'",
  ])('refuses a path out of the project: %s', (code) => {
    expect(refused(code)).toBe(1);
  });

  it.each(["join(import.meta.dirname, '../../../testdata')", "import x from '../index.js'", "const dots = '..and so on'", 'const n = 3'])(
    'leaves alone what stays within it: %s',
    (code) => {
      expect(refused(code)).toBe(0);
    },
  );

  it('judges by the file that contains the path', () => {
    expect(refused("const path = '../../x'", 'tools/a.test.js')).toBe(1);
    expect(refused("const path = '../../x'", 'tools/a/b.test.js')).toBe(0);
  });
});
