import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { beyondAscii, bundle, packagesIn } from './bundle.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'));
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  mkdirSync(join(root, 'node_modules/old'), { recursive: true });
  writeFileSync(join(root, 'node_modules/old/package.json'), '{"name":"old","main":"index.js"}');
  writeFileSync(join(root, 'node_modules/old/index.js'), "/*! Licence of old */ exports.home = require('os').homedir;");
  writeFileSync(join(root, 'src/deep/host.ts'), "export const thread = new URL('./thread.mjs', import.meta.url).pathname;");
  writeFileSync(
    join(root, 'src/main.ts'),
    "import { home } from 'old';\nimport { thread } from './deep/host.ts';\nconsole.log(typeof home(), thread);",
  );
  writeFileSync(join(root, 'src/deep/thread.ts'), "import { thread } from './host.ts';\nconsole.log('thread', thread);");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const app = { name: 'sample', entries: { main: 'src/main.ts', thread: 'src/deep/thread.ts' } };

describe('a bundle', () => {
  it('runs with nothing but Node, finds its other entry beside itself and names the packages in it', async () => {
    const { folder, packages } = await bundle(app, root);
    rmSync(join(root, 'node_modules'), { recursive: true });
    rmSync(join(root, 'src'), { recursive: true });
    expect(packages).toEqual(['old']);
    const said = execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' });
    expect(said).toBe(`string ${join(folder, 'thread.mjs')}\n`);
    expect(readFileSync(join(folder, 'main.mjs.LEGAL.txt'), 'utf8')).toContain('Licence of old');
  });

  it('has none of the API of OpenTelemetry, which a package imports for exemplars', async () => {
    mkdirSync(join(root, 'node_modules/@opentelemetry/api'), { recursive: true });
    writeFileSync(join(root, 'node_modules/@opentelemetry/api/package.json'), '{"name":"@opentelemetry/api","main":"index.js"}');
    writeFileSync(join(root, 'node_modules/@opentelemetry/api/index.js'), 'exports.trace = {};');
    writeFileSync(join(root, 'node_modules/old/index.js'), "const api = require('@opentelemetry/api'); exports.home = () => api.trace;");
    const { folder, packages } = await bundle(app, root);
    expect(packages).toEqual(['old']);
    expect(execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' })).toMatch(/^undefined /);
  });

  it('is the same bytes for the same source and keeps nothing of an earlier one', async () => {
    const read = (folder: string): readonly string[] =>
      readdirSync(folder).map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8')}`);
    const first = read((await bundle(app, root)).folder);
    writeFileSync(join(root, 'dist/sample/chunk-OLD.mjs'), '');
    expect(read((await bundle(app, root)).folder)).toEqual(first);
  });

  it('in single files has no chunks, minified has no line breaks inside, and has the version in place of its name', async () => {
    writeFileSync(
      join(root, 'src/main.ts'),
      "declare const kruiseVersion: string;\nconst { thread } = await import('./deep/host.ts');\nconsole.log(kruiseVersion, typeof thread);",
    );
    const one = { name: 'sample', entries: { main: 'src/main.ts' } };
    const { folder } = await bundle(one, root, join(root, 'dist'), { singleFiles: true, minify: true, version: '1.2.3' });
    expect(readdirSync(folder)).toEqual(['main.mjs']);
    expect(execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' })).toBe('1.2.3 string\n');
    expect(readFileSync(join(folder, 'main.mjs'), 'utf8').trimEnd().split('\n').length).toBeLessThan(4);
  });

  it('of a thread shares no chunk with the entries, and has no module that only they import', async () => {
    const lazy = "export const load = async () => (await import('./controller.ts')).size;\nexport const shared = 'shared text';";
    writeFileSync(join(root, 'src/kind.ts'), lazy);
    writeFileSync(join(root, 'src/controller.ts'), "export const size = 'controller text';");
    writeFileSync(join(root, 'src/main.ts'), "import { load, shared } from './kind.ts';\nconsole.log(shared, await load());");
    writeFileSync(join(root, 'src/thread.ts'), "import { load, shared } from './kind.ts';\nconsole.log(shared, typeof load);");
    const threads = { thread: { file: 'src/thread.ts', without: /\/controller\.ts$/ } };
    const { folder } = await bundle({ name: 'sample', entries: { main: 'src/main.ts' }, threads }, root);
    const run = (name: string): string => execFileSync(process.execPath, [join(folder, name)], { encoding: 'utf8' });
    expect([run('main.mjs'), run('thread.mjs')]).toEqual(['shared text controller text\n', 'shared text function\n']);
    const holding = readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes('controller text'));
    expect(holding).toHaveLength(1);
    rmSync(join(folder, holding[0]!));
    expect(run('thread.mjs')).toBe('shared text function\n');
    for (const name of readdirSync(folder).filter((one) => one !== 'thread.mjs')) rmSync(join(folder, name));
    expect(run('thread.mjs')).toBe('shared text function\n');
  });

  it('has few statements in a line, so that a place in a log can be found', async () => {
    writeFileSync(
      join(root, 'src/main.ts'),
      Array.from({ length: 100 }, (_, at) => `    console.log('this is statement number ${at}');`).join('\n'),
    );
    const { folder } = await bundle({ name: 'sample', entries: { main: 'src/main.ts' } }, root);
    const lines = readFileSync(join(folder, 'main.mjs'), 'utf8').split('\n');
    expect(Math.max(...lines.map((line) => line.split('console.log').length - 1))).toBeLessThanOrEqual(5);
  });

  it('takes the name of a package from its path, scoped and nested', () => {
    const inputs = Object.fromEntries(
      ['src/a.ts', 'node_modules/@s/p/x.js', 'node_modules/a/node_modules/b/x.js'].map((path) => [path, { bytes: 1, imports: [] }]),
    );
    expect(packagesIn(inputs)).toEqual(['@s/p', 'b']);
  });

  it("gets Node's modules without what they load on demand", async () => {
    writeFileSync(
      join(root, 'src/main.ts'),
      `import { createServer } from 'node:http';\nconst { get } = require('http');\nconst loaded = process.moduleLoadList;\n
      console.log(typeof createServer, typeof get, loaded.filter((name: string) => name.includes('undici')).length);`,
    );
    const { folder } = await bundle(app, root);
    expect(execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' })).toBe('function function 0\n');
  });

  it('with a character beyond ASCII is refused, and the place is named', async () => {
    writeFileSync(join(root, 'src/main.ts'), "console.log('caf\u00e9', /caf\u00e9/.test(process.title));");
    await expect(bundle(app, root)).rejects.toThrow(/main\.mjs: not ASCII, escape the last character of: .*\/caf\u00e9$/);
    expect(beyondAscii('a\\u00e9\n')).toBeUndefined();
    expect(beyondAscii('x\nab\u00b5c')).toBe('ab\u00b5');
  });
});
