/**
 * Every manifest that a page shows is accepted as pasted on a fresh cluster: kubectl applies the blocks of a page in their order, into an empty namespace, while
 * the webhooks answer. No field is unknown, no namespace is missing and no warning is printed.
 */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, silent, type ControlPlane } from '@kruise/testing';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { openNamespace } from './fixtures/workload-fixture.testing.ts';

/** One fenced block that consists of whole manifests. */
interface Example {
  readonly page: string;
  /** Line of the first manifest, counted from 1. */
  readonly line: number;
  readonly text: string;
}

const root = join(import.meta.dirname, '../../../..');
/** Its kind exists in its own tests only. */
const withoutCluster = ['docs/new-kind.md'];
const pages = globSync(['README.md', 'docs/*.md', 'docs/concepts/*.md', 'charts/kruise/README.md'], { cwd: root })
  .filter((page) => !withoutCluster.includes(page))
  .toSorted();

/** What the chart turns on, and gates that the pages name as a requirement. */
const gates = ['ConfigRollout', 'ImagePullJobGate', 'ResourceDistributionGate', 'ResourcesDeletionProtection', 'SidecarTerminator'];

/** Files that programs read, although they look like manifests. */
const isFileOfProgram = (kind: unknown): boolean => kind === 'AdmissionConfiguration' || kind === 'Config';

function isWholeManifest(text: string): boolean {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Readonly<Record<string, unknown>> | null);
  return documents.every((one) => typeof one?.['apiVersion'] === 'string' && one['kind'] !== undefined && !isFileOfProgram(one['kind']));
}

/** Blocks of YAML, and what a shell block hands to `kubectl apply -f -`. */
function examplesOf(page: string, text: string): readonly Example[] {
  const blocks = [
    ...text.matchAll(/^```yaml\n(?<block>[\s\S]*?)^```$/gm),
    ...text.matchAll(/^kubectl apply -f - <<'YAML'\n(?<block>[\s\S]*?)^YAML$/gm),
  ];
  return blocks
    .map(({ 0: all, index, groups }) => ({ start: index + all.indexOf('\n') + 1, text: groups?.['block'] ?? '' }))
    .filter((block) => isWholeManifest(block.text))
    .toSorted((a, b) => a.start - b.start)
    .map((block) => ({ page, line: text.slice(0, block.start).split('\n').length, text: block.text }));
}

const examples = pages.flatMap((page) => examplesOf(page, readFileSync(join(root, page), 'utf8')));
const createsNamespace = (page: string): boolean => examples.some((one) => one.page === page && /^kind: Namespace$/m.test(one.text));
/** Pages that create a namespace come last, so that no other page finds it. */
const shown = pages
  .filter((page) => examples.some((one) => one.page === page))
  .toSorted((a, b) => Number(createsNamespace(a)) - Number(createsNamespace(b)));

describe('the manifests of the pages', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-docs-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let kubectlPath: string;

  beforeAll(async () => {
    kubectlPath = (await ensureBinaries(['kubectl'], silent)).kubectl;
    plane = await startInstalledPlane();
    const flags = [`--feature-gates=${gates.map((gate) => `${gate}=true`).join(',')}`];
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
    await manager.start();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** An empty namespace that is the current one of the kubeconfig. @returns the path of the kubeconfig */
  async function freshNamespace(namespace: string): Promise<string> {
    (await openNamespace(plane.kubeconfigPath, namespace)).close();
    const config = parse(readFileSync(plane.kubeconfigPath, 'utf8')) as { readonly contexts: readonly { readonly context: object }[] };
    const contexts = config.contexts.map((one) => ({ ...one, context: { ...one.context, namespace } }));
    const path = join(dir, `${namespace}.kubeconfig`);
    writeFileSync(path, stringify({ ...config, contexts }));
    return path;
  }

  /** @returns what kubectl complained about, '' when it did not */
  async function complaintsOf(kubeconfigPath: string, args: readonly string[]): Promise<string> {
    const run = promisify(execFile)(kubectlPath, ['--kubeconfig', kubeconfigPath, ...args], { env: { ...process.env, GOGC: 'off' } });
    return (await run.catch((error: unknown) => error as { readonly stderr: string })).stderr.trim();
  }

  it.each(shown)('%s: each is accepted as pasted, without a warning', async (page) => {
    const kubeconfigPath = await freshNamespace(
      page
        .replace(/\.md$/, '')
        .replaceAll(/[^a-z]+/gi, '-')
        .toLowerCase(),
    );
    const complaints: Record<string, string> = {};
    for (const { line, text } of examples.filter((one) => one.page === page)) {
      const file = join(dir, `${line}.yaml`);
      writeFileSync(file, text);
      const applied = await complaintsOf(kubeconfigPath, ['apply', '-f', file]);
      // A later block may need the Pods of this one, which the page waits for as well.
      const waited = /^kind: Pod$/m.test(text)
        ? await complaintsOf(kubeconfigPath, ['wait', '--for=condition=Ready', '--timeout=120s', '-f', file])
        : '';
      if (applied + waited !== '') complaints[`${page}:${line}`] = applied + waited;
    }
    expect(complaints).toEqual({});
  });

  it('come from the pages of most kinds', () => {
    expect(shown.length).toBeGreaterThan(15);
  });
});

it('an example is a block of whole manifests, wherever it is on the page', () => {
  const manifest = 'apiVersion: v1\nkind: Pod\n';
  const text = [
    '# Page',
    '```yaml',
    'spec: {}',
    '```',
    "kubectl apply -f - <<'YAML'",
    `${manifest}YAML`,
    '```yaml',
    `${manifest}---`,
    `${manifest}\`\`\``,
    '```yaml',
    'apiVersion: v1\nkind: Config',
    '```',
    '',
  ].join('\n');
  expect(examplesOf('a.md', text)).toEqual([
    { page: 'a.md', line: 6, text: manifest },
    { page: 'a.md', line: 10, text: `${manifest}---\n${manifest}` },
  ]);
});
