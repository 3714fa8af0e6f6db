/** Adding a kind touches its two folders and one list each: here the rest of the programs is searched for the names of kinds. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allKinds, crdName } from '@kruise/api';
import ts from 'typescript';
import { readImportGraph } from './import-graph.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const kinds = allKinds.filter(({ singular }) => existsSync(join(root, `apps/manager/src/kinds/${singular}`)));
const files = [...readImportGraph(root).files.keys()];

const lists = ['apps/manager/src/kinds/index.ts', 'libs/api/src/kinds/index.ts', 'libs/api/src/index.ts'];
/** What people see of each kind: metrics, and the models of the plugin. */
const shown = ['apps/state-metrics/src/', 'libs/insight/src/'];
const ownFolders = (singular: string): readonly string[] => [`kinds/${singular}/`, `libs/api/src/kinds/${singular}/`];

const gates = { 'libs/api/src/gates/feature-gates.ts': 'the table of all feature gates' };
const finder = {
  'apps/manager/src/workloads/finder/': 'finds workloads of any kind',
  'libs/workloads/src/finder/': 'the kinds that count as StatefulSets, and how each is read',
  'libs/workloads/src/index.ts': 'names what the finder reads',
};
const builtIn = { 'libs/workloads/src/workload-types.ts': 'a kind of Kubernetes has the same name' };
const spread = { 'libs/kinds/src/workloadspread/injection/spreadable-kinds.ts': 'the kinds whose Pods a WorkloadSpread may spread' };
const budgets = { 'kinds/podunavailablebudget/': 'budgets count the Pods and replicas of workloads of all kinds' };
const nodesOfJob = { 'libs/kinds/src/imagepulljob/nodes-of-job.ts': 'a selector may name a workload whose nodes are meant' };

const references = { 'apps/helm-hook/src/owner-versions.ts': 'references to owners, and what has them, before a return to OpenKruise' };
const plugin = { 'apps/kubectl-kruise/src/': 'commands of the plugin that treat the kind in its own way' };

/** By kind: the files, or folders with a `/` at the end, that work with its objects or share something with it, and why. */
const elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BroadcastJob: {
    ...plugin,
    'libs/api/src/schema/broadcastjob-spec.ts': 'AdvancedCronJobs hold one as their template',
    'libs/api/src/kinds/advancedcronjob/': 'AdvancedCronJobs hold one as their template',
    'kinds/advancedcronjob/': 'AdvancedCronJobs make them',
  },
  CloneSet: {
    ...references,
    ...plugin,
    ...gates,
    ...budgets,
    ...nodesOfJob,
    'libs/pods/src/index.ts': 'the names of revisions and claims depend on the kind of workload',
    'libs/pods/src/revision/': 'the names of revisions and claims depend on the kind of workload',
    'libs/pods/src/inplace/plan-in-place-update.ts': 'a gate about volume claims',
    'libs/api/src/well-known.ts': 'conditions of workloads; an annotation that revisions read',
    'libs/api/src/schema/cloneset-spec.ts': 'UnitedDeployments hold a CloneSet as their template',
    'libs/api/src/kinds/uniteddeployment/': 'UnitedDeployments hold a CloneSet as their template',
    'kinds/uniteddeployment/': 'UnitedDeployments make them',
    'apps/manager/src/workloads/finder/': 'finds workloads of any kind',
    ...spread,
  },
  ContainerRecreateRequest: {
    ...plugin,
    'features/podreadiness/': 'puts a Pod back into service when no request holds it any more',
    'features/sidecarterminator/': 'ends sidecars by such requests',
    'apps/daemon/src/recreate/': 'the agent carries the requests out',
    'libs/api/src/well-known.ts': 'one of those who may hold a Pod not ready',
  },
  DaemonSet: {
    ...plugin,
    ...gates,
    ...budgets,
    ...finder,
    ...builtIn,
    'apps/manager/src/caches/': 'a kind of Kubernetes has the same name',
    'libs/pods/src/index.ts': 'the names of revisions depend on the kind of workload',
    'libs/pods/src/revision/': 'the names of revisions depend on the kind of workload',
    'libs/api/src/well-known.ts': 'an annotation of migrated DaemonSets',
  },
  ImageListPullJob: {
    'kinds/imagepulljob/': 'a list owns jobs, and their pull secrets serve its whole life',
    'libs/api/src/schema/image-pull.ts': 'AdvancedCronJobs hold one as their template',
    'libs/api/src/kinds/advancedcronjob/': 'AdvancedCronJobs hold one as their template',
    'kinds/advancedcronjob/': 'AdvancedCronJobs make them',
  },
  ImagePullJob: {
    ...references,
    ...gates,
    'kinds/cloneset/': 'pulls the images of an update ahead',
    'kinds/statefulset/': 'pulls the images of an update ahead',
    'kinds/daemonset/': 'pulls the images of an update ahead',
    'kinds/imagelistpulljob/': 'makes one job an image',
    'libs/api/src/kinds/imagelistpulljob/': 'makes one job an image',
    'kinds/nodeimage/': 'removes the tags of jobs that are gone',
    'apps/manager/src/workloads/pod-stores.ts': 'pulls the images of an update ahead',
    'apps/manager/src/workloads/writes/pull-ahead-writes.ts': 'pulls the images of an update ahead',
    'images/': 'what the kinds of image pulling share',
    'libs/workloads/src/pre-download/pre-download.ts': 'pulls the images of an update ahead',
    'apps/daemon/src/images/credentials/plan-secrets.ts': 'a copy of a pull secret names the Secret that it is made from',
    'libs/api/src/well-known.ts': 'events of workloads that make such jobs',
  },
  NodeImage: {
    'kinds/imagepulljob/': 'a job writes its image into NodeImages',
    'images/': 'what the kinds of image pulling share',
    'apps/daemon/src/images/': 'the agent pulls what the NodeImage of its node lists',
  },
  NodePodProbe: {
    'kinds/podprobemarker/': 'writes the probes of each node',
    'apps/daemon/src/probes/': 'the agent runs the probes of its node',
  },
  PodProbeMarker: {
    ...gates,
    'kinds/nodepodprobe/': 'brings results to the Pods as the marker wants them',
    'probes/': 'what the two kinds of probes share',
    'apps/daemon/src/probes/index.ts': 'the gate that probes have in common',
  },
  PersistentPodState: { ...gates, ...budgets },
  PodUnavailableBudget: {
    ...gates,
    'apps/manager/src/module/kind-module.ts': 'the gate by which the controllers of workloads ask before they update',
    'apps/manager/src/workloads/admit-updates.ts': 'the gate by which the controllers of workloads ask before they update',
  },
  ResourceDistribution: { ...gates, ...references },
  SidecarSet: {
    ...gates,
    ...budgets,
    ...nodesOfJob,
    'apps/manager/src/module/live-lists.ts': 'names every list that admission reads live, in one place',
    'apps/daemon/src/container-meta/plan-triggers.ts': 'the agent reports what sidecars run with after an update',
    'libs/pods/src/revision/': 'what is hashed of containers depends on the version of the kind',
    'libs/pods/src/inplace/metadata/env-from-metadata.ts': 'variables that change with every update of a sidecar',
    'libs/api/src/well-known.ts': 'names in Pods that in-place updates and the agent read',
  },
  StatefulSet: {
    ...references,
    ...plugin,
    ...gates,
    ...budgets,
    ...nodesOfJob,
    ...finder,
    ...spread,
    'kinds/persistentpodstate/': 'remembers where Pods of such kinds ran; the built-in kind has the name, too',
    'libs/pods/src/index.ts': 'the names of revisions depend on the kind of workload',
    'libs/pods/src/revision/': 'the names of revisions depend on the kind of workload',
    'libs/api/src/well-known.ts': 'labels of the built-in kind that Pods of both carry',
    'libs/api/src/schema/statefulset-spec.ts': 'UnitedDeployments hold a StatefulSet as their template',
    'libs/api/src/kinds/uniteddeployment/': 'UnitedDeployments hold a StatefulSet as their template',
    'kinds/uniteddeployment/': 'UnitedDeployments make them',
    ...builtIn,
    'apps/manager/src/caches/': 'those of Kubernetes have the same name',
  },
  UnitedDeployment: {
    ...references,
    'libs/api/src/well-known.ts': 'conditions of workloads',
    'libs/pods/src/revision/': 'the names of revisions depend on the kind of workload',
  },
  WorkloadSpread: gates,
};

/** The identifiers of a file, which comments and texts are not. */
function identifiersOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest));
  return found;
}

const texts = new Map(files.map((file) => [file, read(file)]));

/** Files with an identifier that contains the name of a kind: `cloneSets`, `CloneSetSpec`, `newCloneSet`. */
function filesNaming(kind: string): readonly string[] {
  const name = new RegExp(`${kind}|${kind.charAt(0).toLowerCase()}${kind.slice(1)}`);
  const candidates = files.filter((file) => name.test(texts.get(file) ?? ''));
  return candidates.filter((file) => [...identifiersOf(texts.get(file) ?? '')].some((identifier) => name.test(identifier)));
}

/** `kinds/cloneset/` is the folder of the kind in the manager and that of its rules. */
const foldersAt = (place: string): readonly string[] =>
  /^(kinds|features|images|probes)\//.test(place)
    ? [`apps/manager/src/${place}`, `libs/kinds/src/${place.replace(/^(kinds|features)\//, '')}`]
    : [place];

const isIn = (file: string, place: string): boolean =>
  place.endsWith('/') ? foldersAt(place).some((folder) => file.startsWith(folder)) : file === place;

describe('the files that list kinds', () => {
  it('deploy/crds/kustomization.yaml: all of them', () => {
    const listed = [...read('deploy/crds/kustomization.yaml').matchAll(/^ {2}- generated\/(.+)\.yaml$/gm)].map(([, name = '']) => name);
    expect(listed).toEqual(allKinds.map(crdName));
  });

  it('README: those whose controllers are not written yet', () => {
    const [, listed = ''] = /^\| Other kinds +\| ([\w, ]+):/m.exec(read('README.md')) ?? [];
    const others = allKinds.filter((declaration) => !kinds.includes(declaration));
    expect(listed.split(', ').filter(Boolean).toSorted()).toEqual(others.map(({ kind }) => kind).toSorted());
  });

  it('docs/operations.md: those with a finalizer, which uninstalling cleans up', () => {
    const [, listed = ''] = /\(([\w, ]+) with a finalizer\)/.exec(read('docs/operations.md').replaceAll('\n', ' ')) ?? [];
    const cleaned = allKinds.filter(({ atUninstall }) => atUninstall?.kind === 'CleanUp');
    expect(cleaned).toEqual(allKinds.filter(({ finalizer }) => finalizer !== undefined));
    expect(listed.split(', ').filter(Boolean).toSorted()).toEqual(cleaned.map(({ kind }) => `${kind}s`).toSorted());
  });
});

describe('the names of a kind', () => {
  it('are searched for in all programs', () => {
    expect(kinds.map(({ kind }) => kind)).toContain('EphemeralJob');
    expect(kinds.length).toBeGreaterThan(5);
    expect(files.length).toBeGreaterThan(300);
    expect(filesNaming('EphemeralJob')).toEqual(expect.arrayContaining(lists));
  });

  it.each(kinds.map(({ kind, singular }) => [kind, singular] as const))(
    '%s: occur in its folders, and where its objects are used',
    (kind, singular) => {
      const places = Object.keys(elsewhere[kind] ?? {});
      const outside = filesNaming(kind).filter((file) => ![...ownFolders(singular), ...lists, ...shown].some((place) => isIn(file, place)));
      expect(outside.filter((file) => !places.some((place) => isIn(file, place)))).toEqual([]);
      expect(places.filter((place) => !outside.some((file) => isIn(file, place)))).toEqual([]);
    },
  );

  it('are listed for kinds that there are', () => {
    expect(Object.keys(elsewhere).filter((name) => !kinds.some(({ kind }) => kind === name))).toEqual([]);
  });

  it('of EphemeralJobs occur nowhere else', () => {
    // `kubectl kruise check` sends a small object of every kind as a dry run.
    const places = [...ownFolders('ephemeraljob'), ...lists, 'libs/insight/src/', 'apps/kubectl-kruise/src/check/samples.ts'];
    expect(
      files.filter((file) => /ephemeral-?job/i.test(texts.get(file) ?? '')).filter((file) => !places.some((place) => isIn(file, place))),
    ).toEqual([]);
  });
});
