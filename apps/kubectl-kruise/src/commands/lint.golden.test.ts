/** What `lint` prints, as transcripts, and its exit codes. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lintIds } from '@kruise/insight/lint';
import { goldenText } from '@kruise/testing';
import { parseJsonText } from '@kruise/objects';
import { pipeClosed } from '../run-program.ts';
import { fakeApi, kruiseRun, type RunOptions, type RunResult } from '../testing.ts';
import { Transcript } from '../transcript.testing.ts';

const folder = join(import.meta.dirname, 'testdata/lint');
const golden = (name: string, text: string): void => {
  const shown = text.replaceAll(folder, 'manifests').replaceAll(relative('', folder), 'manifests');
  expect(shown).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), shown));
};
const lint = (line: string, options: RunOptions = {}): Promise<RunResult> => kruiseRun(fakeApi(), `lint ${line}`, options);

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), 'kruise-lint-'))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('lint', async () => {
  const transcript = new Transcript(fakeApi());
  await transcript.run(`lint -f ${folder}/web.yaml`);
  await transcript.run(`lint -f ${folder}/sound.yaml`);
  await transcript.run(`lint -f ${folder} -o json`);
  golden('lint', transcript.text);
});

it('lint -o sarif', async () => {
  const { out, code } = await lint(`-f ${folder} -o sarif`);
  expect(code).toBe(1);
  golden('lint-sarif', out);
});

describe('SARIF', () => {
  interface Sarif {
    readonly version: string;
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly message: { readonly text: string };
        readonly locations: readonly {
          readonly physicalLocation: { readonly artifactLocation: { readonly uri: string }; readonly region: object };
        }[];
      }[];
    }[];
  }

  it('has what version 2.1.0 requires', async () => {
    const { out } = await lint(`-f ${folder} -o sarif`);
    const { version, runs } = parseJsonText(out) as Sarif;
    expect([version, runs.length]).toEqual(['2.1.0', 1]);
    const [run] = runs;
    if (run === undefined) throw new Error('no run');
    const { tool, results } = run;
    expect(tool.driver.name).toBe('kubectl-kruise');
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(lintIds);
    expect(results.length).toBeGreaterThan(4);
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).not.toBe('');
      for (const { physicalLocation } of locations) {
        expect(physicalLocation.artifactLocation.uri).toMatch(/^[\w./%-]+$/);
        expect(physicalLocation.region).toEqual({ startLine: expect.any(Number), startColumn: expect.any(Number) });
      }
    }
  });

  it('escapes what no URI contains', async () => {
    const path = join(dir, 'a b#1.yaml');
    writeFileSync(path, 'apiVersion: apps.kruise.io/v1\nkind: CloneSet\n');
    const { out } = await lint(`-f '${path}' -o sarif`);
    expect(out).toContain('/a%20b%231.yaml"');
  });
});

describe('the exit code', () => {
  const warning =
    'apiVersion: policy.kruise.io/v1beta1\nkind: PodUnavailableBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}, maxUnavailable: 0}\n';
  const pull =
    'apiVersion: apps.kruise.io/v1beta1\nkind: ImagePullJob\nmetadata: {name: a}\nspec: {image: "a:1", completionPolicy: {type: Always}}\n';

  it.each<{ name: string; line: string; stdin: string; code: number; err?: RegExp }>([
    { name: 'is 0 with warnings', line: '-f -', stdin: warning, code: 0 },
    { name: 'is 1 with warnings and --strict', line: '-f - --strict', stdin: warning, code: 1 },
    { name: 'is 1 for a kind whose gate is off', line: '-f -', stdin: pull, code: 1 },
    { name: 'is 0 for a kind whose gate is on', line: '-f - --feature-gates ImagePullJobGate=true', stdin: pull, code: 0 },
    {
      name: 'is 2 for an unknown gate',
      line: '-f - --feature-gates None=true',
      stdin: pull,
      code: 2,
      err: /^error: --feature-gates: .*None/,
    },
    {
      name: 'is 2 for an unknown format',
      line: '-f - -o xml',
      stdin: pull,
      code: 2,
      err: /^error: --output must be text, json or sarif, not "xml"\n$/,
    },
    { name: 'is 2 without files', line: '', stdin: '', code: 2, err: /^error: must specify one of -f and -k\n$/ },
    {
      name: 'is 2 for arguments',
      line: 'a.yaml -f -',
      stdin: '',
      code: 2,
      err: /^error: name the files with -f: lint takes no arguments\n$/,
    },
    { name: 'is 2 for an empty text', line: '-f -', stdin: '', code: 2, err: /^error: no objects passed: the files are empty\n$/ },
    { name: 'is 2 for malformed YAML', line: '-f -', stdin: 'a: [1', code: 2, err: /^error: STDIN:1:6: Flow sequence/ },
    { name: 'is 2 for an absent file', line: '-f /none.yaml', stdin: '', code: 2, err: /^error: the path "\/none.yaml" does not exist\n$/ },
    {
      name: 'is 0 with an unknown finding to ignore',
      line: '-f -',
      stdin: `# kruise-lint: ignore=KR999\n${warning}`,
      code: 0,
      err: /^Warning: STDIN:1: lint has no finding KR999 to ignore\n$/,
    },
  ])('$name', async ({ line, stdin, code, err = /^$/ }) => {
    const result = await lint(line, { stdin });
    expect(result.code).toBe(code);
    expect(result.err).toMatch(err);
  });

  it('is 2 with the findings of what can be read', async () => {
    const { code, out, err } = await lint('-f -', { stdin: `${warning}---\na: [\n` });
    expect(code).toBe(2);
    expect(out).toContain('KR104');
    expect(err).toMatch(/^error: STDIN:\d+:\d+: /);
  });

  it('is 2 for a folder without YAML, and folders in it are read with -R', async () => {
    const inner = join(dir, 'outer/inner');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, 'a.yaml'), warning);
    writeFileSync(join(dir, 'outer/readme.txt'), 'none');
    const { code, err } = await lint(`-f ${dir}/outer`);
    expect([code, err]).toEqual([2, `error: error reading [${dir}/outer]: recognized file extensions are [.json .yaml .yml]\n`]);
    expect((await lint(`-f ${dir}/outer -R`)).out).toContain('1 warning in 1 object');
  });

  it('is that of a closed pipe when the reader of the output has ended', async () => {
    const stop = new AbortController();
    stop.abort(pipeClosed);
    expect((await lint('-f -', { stdin: warning, signal: stop.signal })).code).toBe(141);
  });
});
