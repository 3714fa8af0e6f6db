/**
 * Health checks and actions for Argo CD, in its folder layout and as one patch of its ConfigMap. A script consists of the functions of
 * `helpers.lua` that it calls and a part of its own, so that no function exists twice in the sources.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allKinds, type KindDeclaration } from '@kruise/api';
import { origin, withHashOrigin, type GeneratedFile, type Generator } from '../generator.ts';
import { toYaml } from '../yaml.ts';

const folder = 'integrations/argocd/generated';
const sources = 'integrations/argocd/source';
const customizations = `${folder}/resource_customizations`;

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', sources, path), 'utf8');

interface Helper {
  readonly name: string;
  readonly text: string;
}

/** Functions are blocks between empty lines; one calls only functions above it. */
export function parseHelpers(text: string): readonly Helper[] {
  return text
    .trim()
    .split('\n\n')
    .flatMap((block) => {
      const name = /^local function (\w+)/m.exec(block)?.[1];
      return name === undefined ? [] : [{ name, text: block }];
    });
}

/** Returns the functions that a script calls, directly or through others, in the order of the sources. */
export function helpersOf(script: string, helpers: readonly Helper[]): readonly Helper[] {
  const isCalled = (name: string, text: string): boolean => new RegExp(`(?<![.:\\w"])${name}\\(`).test(text);
  const called = new Set<Helper>();
  for (const helper of helpers.toReversed())
    if ([script, ...[...called].map(({ text }) => text)].some((text) => isCalled(helper.name, text))) called.add(helper);
  return helpers.filter((helper) => called.has(helper));
}

const lua = (script: string, source: string): string =>
  [`-- ${origin(source)}`, ...helpersOf(script, parseHelpers(read('helpers.lua'))).map(({ text }) => text), script.trim()].join('\n\n') +
  '\n';

const subsetsOnly = ['restart', 'partition-step', 'partition-full'] as const;
const rolloutActions = ['pause', 'resume', 'restart', 'partition-step', 'partition-full'] as const;

/** Where `paused` and `partition` are, as Lua. */
const rollingUpdate = 'local place = { "spec", "updateStrategy", "rollingUpdate" }';
const places: Readonly<Record<string, string>> = {
  CloneSet: `${rollingUpdate}\nif obj.apiVersion == "apps.kruise.io/v1alpha1" then place = { "spec", "updateStrategy" } end`,
  StatefulSet: rollingUpdate,
  DaemonSet: rollingUpdate,
  SidecarSet: 'local place = { "spec", "updateStrategy" }',
  BroadcastJob: 'local place = { "spec" }',
  AdvancedCronJob: 'local place = { "spec" }',
  EphemeralJob: 'local place = { "spec" }',
};

/** The actions of each kind that has some. */
export const actionsOf: Readonly<Record<string, readonly string[]>> = {
  CloneSet: rolloutActions,
  StatefulSet: rolloutActions,
  DaemonSet: rolloutActions,
  SidecarSet: ['pause', 'resume', 'partition-step', 'partition-full'],
  UnitedDeployment: subsetsOnly,
  BroadcastJob: ['pause', 'resume', 'retry'],
  AdvancedCronJob: ['pause', 'resume'],
  EphemeralJob: ['pause', 'resume', 'retry'],
  ContainerRecreateRequest: ['retry'],
  ImagePullJob: ['retry'],
  ImageListPullJob: ['retry'],
};

interface Scripts {
  readonly key: string;
  readonly health: string;
  readonly discovery?: string;
  readonly actions: readonly { readonly name: string; readonly text: string }[];
}

const fileOfAction = (kind: string, action: string): string =>
  kind === 'UnitedDeployment' && action !== 'restart' ? `actions/${action}-of-subsets.lua` : `actions/${action}.lua`;

function scriptsOf({ group, kind }: KindDeclaration): Scripts {
  const path = `health/${kind}.lua`;
  const health = lua(read(path), `${sources}/${path}`);
  const names = actionsOf[kind] ?? [];
  const key = `${group}/${kind}`;
  if (names.length === 0) return { key, health, actions: [] };
  const place = places[kind] ?? 'local place = nil';
  const list = `local names = { ${names.map((name) => `"${name}"`).join(', ')} }`;
  const discovery = lua(`${place}\n${list}\n${read('discovery.lua')}`, `${sources}/discovery.lua`);
  const actions = names.map((name) => {
    const file = fileOfAction(kind, name);
    const script = read(file);
    return { name, text: lua(script.includes('place') ? `${place}\n${script}` : script, `${sources}/${file}`) };
  });
  return { key, health, discovery, actions };
}

const filesOf = ({ key, health, discovery, actions }: Scripts): readonly GeneratedFile[] => [
  { path: `${customizations}/${key}/health.lua`, content: health },
  ...(discovery === undefined ? [] : [{ path: `${customizations}/${key}/actions/discovery.lua`, content: discovery }]),
  ...actions.map(({ name, text }) => ({ path: `${customizations}/${key}/actions/${name}/action.lua`, content: text })),
];

function entriesOf({ key, health, discovery, actions }: Scripts): readonly (readonly [string, string])[] {
  const suffix = key.replace('/', '_');
  const entry = [`resource.customizations.health.${suffix}`, health] as const;
  if (discovery === undefined) return [entry];
  const definitions = actions.map(({ name, text }) => ({ name, 'action.lua': text }));
  return [entry, [`resource.customizations.actions.${suffix}`, toYaml({ 'discovery.lua': discovery, definitions })] as const];
}

const configMapPatch = (all: readonly Scripts[]): GeneratedFile => ({
  path: `${folder}/argocd-cm-patch.yaml`,
  content: withHashOrigin(
    sources,
    toYaml({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm' },
      data: Object.fromEntries(all.flatMap(entriesOf)),
    }),
  ),
});

export const argocdGenerator: Generator = {
  name: 'Argo CD',
  folders: [folder],
  files: () => {
    const all = allKinds.map(scriptsOf);
    return [...all.flatMap(filesOf), configMapPatch(all)];
  },
};
