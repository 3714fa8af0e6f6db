/** Patches of list items by name, as the kustomize of kubectl merges them with the schemas that `integrations/kustomize` contains. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds } from '@kruise/api';
import { ensureBinaries, silent } from '@kruise/testing';
import { parse } from 'yaml';
import { kustomizeDocument } from './tool-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const folder = mkdtempSync(join(tmpdir(), 'kruise-kustomize-'));
let kubectl: string;

beforeAll(async () => {
  ({ kubectl } = await ensureBinaries(['kubectl'], silent));
});
afterAll(() => rmSync(folder, { recursive: true }));

const podSpec = 'spec.template.spec';
/** Paths of the members that hold lists of containers, by kind. */
const places: Readonly<Record<string, readonly string[]>> = {
  CloneSet: [podSpec],
  StatefulSet: [podSpec],
  DaemonSet: [podSpec],
  BroadcastJob: [podSpec],
  AdvancedCronJob: ['jobTemplate', 'broadcastJobTemplate'].map((name) => `spec.template.${name}.${podSpec}`),
  UnitedDeployment: ['statefulSetTemplate', 'advancedStatefulSetTemplate', 'cloneSetTemplate', 'deploymentTemplate'].map(
    (name) => `spec.template.${name}.${podSpec}`,
  ),
  SidecarSet: ['spec'],
  EphemeralJob: ['spec.template'],
};
const listsOf = (kind: string): readonly string[] => (kind === 'EphemeralJob' ? ['ephemeralContainers'] : ['containers', 'initContainers']);

const nested = (path: string, value: unknown): Json =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Json;
const memberAt = (object: unknown, path: string): Json =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], object) as Json;

const main = {
  name: 'main',
  image: 'shop:1',
  env: [
    { name: 'LEVEL', value: 'info' },
    { name: 'ZONE', value: 'a' },
  ],
  volumeMounts: [
    { mountPath: '/cache', name: 'cache' },
    { mountPath: '/data', name: 'data' },
  ],
};
const side = { name: 'side', image: 'proxy:1' };
const patchOfMain = {
  name: 'main',
  env: [{ name: 'LEVEL', value: 'debug' }],
  volumeMounts: [{ mountPath: '/data', name: 'data', readOnly: true }],
};
/** kustomize lists the items of the patch first. */
const mergedMain = {
  ...main,
  env: [{ name: 'LEVEL', value: 'debug' }, main.env[1]],
  volumeMounts: [{ mountPath: '/data', name: 'data', readOnly: true }, main.volumeMounts[0]],
};

interface Build {
  readonly resource: Json;
  readonly patch: Json;
  /** Without the schemas, kustomize replaces lists of kinds that it does not know. */
  readonly withoutSchemas?: boolean;
}

/** Builds a kustomization of one object and one patch. JSON is YAML. */
async function build(name: string, { resource, patch, withoutSchemas = false }: Build): Promise<unknown> {
  const dir = join(folder, name.replaceAll(/\W/g, '-'));
  mkdirSync(dir);
  const write = (file: string, content: unknown): void => writeFileSync(join(dir, file), JSON.stringify(content));
  write('openapi.json', kustomizeDocument());
  write('resource.yaml', resource);
  write('patch.yaml', patch);
  const openapi = withoutSchemas ? {} : { openapi: { path: 'openapi.json' } };
  write('kustomization.yaml', { ...openapi, resources: ['resource.yaml'], patches: [{ path: 'patch.yaml' }] });
  const { stdout } = await promisify(execFile)(kubectl, ['kustomize', dir]);
  return parse(stdout);
}

const byName = (list: unknown): Json => Object.fromEntries((list as readonly { readonly name: string }[]).map((one) => [one.name, one]));

const cases = allKinds.flatMap(({ group, kind, versions }) =>
  versions.flatMap(({ name }) => (places[kind] ?? []).flatMap((path) => listsOf(kind).map((list) => ({ group, kind, name, path, list })))),
);

describe('kustomize', () => {
  it.each(cases)('merges $list in $path of $kind $name by name', async ({ group, kind, name, path, list }) => {
    const head = { apiVersion: `${group}/${name}`, kind, metadata: { name: 'web' } };
    const built = await build(`${kind} ${name} ${path} ${list}`, {
      resource: { ...head, ...nested(`${path}.${list}`, [main, side]) },
      patch: { ...head, ...nested(`${path}.${list}`, [patchOfMain]) },
    });
    const merged = memberAt(built, path)[list] as readonly { readonly env?: unknown; readonly volumeMounts?: unknown }[];
    expect(merged).toHaveLength(2);
    expect(byName(merged)).toEqual({ main: mergedMain, side });
  });

  it('has a case for every kind in the schemas', () => {
    const named = Object.values(kustomizeDocument().definitions).flatMap(
      (definition) =>
        (definition as { readonly 'x-kubernetes-group-version-kind'?: readonly { readonly kind: string }[] })[
          'x-kubernetes-group-version-kind'
        ] ?? [],
    );
    expect(new Set(Object.keys(places))).toEqual(new Set(named.map(({ kind }) => kind)));
  });

  const head = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'web' } };
  const containers = (...list: readonly object[]): Json => ({ ...head, ...nested(`${podSpec}.containers`, list) });

  it('removes a container that a patch deletes by name', async () => {
    const built = await build('deletion', { resource: containers(main, side), patch: containers({ name: 'side', $patch: 'delete' }) });
    expect(memberAt(built, podSpec)['containers']).toEqual([main]);
  });

  it('loses the other containers without the schemas', async () => {
    const built = await build('without', { resource: containers(main, side), patch: containers(patchOfMain), withoutSchemas: true });
    expect(memberAt(built, podSpec)['containers']).toEqual([patchOfMain]);
  });

  it('refuses a patch of an object that is absent', async () => {
    const patch = { ...containers(patchOfMain), metadata: { name: 'other' } };
    await expect(build('absent', { resource: containers(main, side), patch })).rejects.toThrow(/no (resource )?matches|no match/);
  });
});
