import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allKinds, gateTable } from '@kruise/api';
import { limitAreas } from '@kruise/objects';
import { bundle } from './bundle.ts';
import { withoutDocumentationIn } from './without-documentation.ts';

describe('a declaration without documentation', () => {
  const builder = "import { choice, object, optional, string } from '../../schema/builder.ts';\n";
  it.each<[what: string, source: string, then: string]>([
    ['the description of a field', "string('The name.', { default: 'x' })", "string('', { default: 'x' })"],
    ['descriptions in an object', "object('A.', { b: optional(string('B.')) })", "object('', { b: optional(string('')) })"],
    ['a description in parts', "string('A, ' + `b ${c('d')}.`)", "string('')"],
    ['values that have a meaning', "choice('How.', ['All', 'None'])", "choice('', ['All', 'None'])"],
    ['a description that is a parameter', 'const a = (text: string) => object(text, {});', 'const a = (text: string) => object(text, {});'],
    ['other functions', "right('apps', ['pods'])", "right('apps', ['pods'])"],
    ['a limit', "{ value: 5, unit: 'bytes', beyond: 'Refused.' }", "{ value: 5, unit: 'bytes', beyond: '' }"],
    ['columns', "const columns: readonly PrinterColumn[] = [{ name: 'AGE' }];", 'const columns: readonly PrinterColumn[] = [];'],
    ['a gate', "const gates = { A: beta(true, 'Does it.') };", "const gates = { A: beta(true, '') };"],
  ])('has %s', (_what, source, then) => {
    const wrapped = source.startsWith('const') ? source : `use(${source});`;
    const expected = then.startsWith('const') ? then : `use(${then});`;
    expect(withoutDocumentationIn(builder + wrapped)).toBe(builder + expected);
  });
});

/** Returns the value without what {@link withoutDocumentationIn} omits. */
const undocumented = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      ['description', 'columns', 'effect', 'bounds', 'beyond', 'enforcedBy'].includes(name) && typeof member !== 'boolean'
        ? keep(member)
        : member,
    ),
  );

/** A field may be called `description`, too; its schema stays. */
const keep = (member: unknown): unknown => (typeof member === 'string' || Array.isArray(member) ? undefined : member);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'declarations-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('the kinds, gates and limits in a bundle are the same but for their documentation', async () => {
  const project = dirname(dirname(import.meta.dirname));
  const entry = join(root, 'main.ts');
  const libraries = ['api', 'objects'].map((name) => JSON.stringify(join(project, `libs/${name}/src/index.ts`)));
  writeFileSync(
    entry,
    `import { allKinds, gateTable } from ${libraries[0]};\nimport { limitAreas } from ${libraries[1]};\nconsole.log(JSON.stringify({ allKinds, gateTable, limitAreas }));`,
  );
  const { folder } = await bundle({ name: 'declarations', entries: { main: entry } }, project, root, {
    minify: true,
    withoutRequire: true,
  });
  const text = execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8', maxBuffer: 1 << 26 });
  expect(undocumented(JSON.parse(text))).toEqual(undocumented({ allKinds, gateTable, limitAreas }));
  for (const { description } of allKinds) expect(text).not.toContain(description);
});
