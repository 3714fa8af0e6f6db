/** The objects of the files, and how they belong together. */
import { addToList, isJsonObject, memberAt, objectsAt, textAt } from '@kruise/objects';
import type { Linted } from './linted.ts';
import { LabelIndex } from './label-index.ts';
import { ObjectTable } from './object-table.ts';

/** A Pod template, or a Pod. */
export interface Template {
  readonly of: Linted;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly string[];
}

/** Where the kinds have their Pod templates; a Pod is one itself. */
const templatePaths: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '/Pod': [[]],
  '/ReplicationController': [['spec', 'template']],
  'apps/DaemonSet': [['spec', 'template']],
  'apps/Deployment': [['spec', 'template']],
  'apps/ReplicaSet': [['spec', 'template']],
  'apps/StatefulSet': [['spec', 'template']],
  'batch/CronJob': [['spec', 'jobTemplate', 'spec', 'template']],
  'batch/Job': [['spec', 'template']],
  'apps.kruise.io/AdvancedCronJob': [
    ['spec', 'template', 'jobTemplate', 'spec', 'template'],
    ['spec', 'template', 'broadcastJobTemplate', 'spec', 'template'],
  ],
  'apps.kruise.io/BroadcastJob': [['spec', 'template']],
  'apps.kruise.io/CloneSet': [['spec', 'template']],
  'apps.kruise.io/DaemonSet': [['spec', 'template']],
  'apps.kruise.io/StatefulSet': [['spec', 'template']],
  'apps.kruise.io/UnitedDeployment': [
    ['spec', 'template', 'advancedStatefulSetTemplate', 'spec', 'template'],
    ['spec', 'template', 'cloneSetTemplate', 'spec', 'template'],
    ['spec', 'template', 'deploymentTemplate', 'spec', 'template'],
    ['spec', 'template', 'statefulSetTemplate', 'spec', 'template'],
  ],
};

/** Kinds that references to workloads name; a Pod has templates of its own and is none. */
const isWorkload = (one: Linted): boolean => one.kind !== 'Pod' && Object.hasOwn(templatePaths, keyOf(one));

const keyOf = ({ group, kind }: Pick<Linted, 'group' | 'kind'>): string => `${group}/${kind}`;

function textsOf(map: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isJsonObject(map) ? map : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

const namesOf = (template: unknown): readonly string[] =>
  ['initContainers', 'containers'].flatMap((list) => objectsAt(template, 'spec', list).map((container) => textAt(container, 'name')));

const templatesOf = (of: Linted): readonly Template[] =>
  (templatePaths[keyOf(of)] ?? [])
    .map((path) => memberAt(of.object, ...path) ?? (path.length === 0 ? of.object : undefined))
    .filter(isJsonObject)
    .map((template) => ({ of, labels: textsOf(memberAt(template, 'metadata', 'labels')), containers: namesOf(template) }));

/** Lists of the items by their keys, in their order. */
function byKey<T>(items: readonly T[], keysOf: (item: T) => readonly string[]): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      addToList(lists, key, item);
    }
  return lists;
}

const workloadKey = (namespace: string, kind: string, name: string): string => `${namespace}/${kind}/${name}`;

/** Finds objects of the files by kind, name and labels. */
export class Files {
  readonly #table = new ObjectTable();
  readonly #templates: LabelIndex<Template>;
  readonly #templatesIn: ReadonlyMap<string, LabelIndex<Template>>;
  readonly #workloads: ReadonlyMap<string, readonly Linted[]>;
  readonly #namespacesOfWorkloads: ReadonlySet<string>;
  readonly #injectors: ReadonlyMap<string, readonly Linted[]>;

  constructor(all: readonly Linted[]) {
    for (const linted of all) this.#table.add(linted);
    this.#templates = new LabelIndex(all.flatMap(templatesOf));
    const lists = byKey(this.#templates.all, ({ of }) => [of.namespace]);
    this.#templatesIn = new Map([...lists].map(([namespace, templates]) => [namespace, new LabelIndex(templates)]));
    const workloads = all.filter(isWorkload);
    this.#workloads = byKey(workloads, ({ namespace, kind, name }) => [workloadKey(namespace, kind, name)]);
    this.#namespacesOfWorkloads = new Set(workloads.map(({ namespace }) => namespace));
    this.#injectors = byKey(this.of('apps.kruise.io', 'SidecarSet', ''), ({ object }) => [...new Set(namesOf(object))]);
  }

  /** The number of Pod templates. */
  get templateCount(): number {
    return this.#templates.all.length;
  }

  /** Returns the objects of a kind in a namespace, by name. */
  of(group: string, kind: string, namespace: string): readonly Linted[] {
    return this.#table.of(group, kind, namespace);
  }

  find(group: string, kind: string, namespace: string, name: string): Linted | undefined {
    return this.#table.find(group, kind, namespace, name);
  }

  /** Returns the Namespace of a name. */
  namespace(name: string): Linted | undefined {
    return this.#table.find('', 'Namespace', '', name);
  }

  /** Returns the workloads of a name, of all groups, in the order of the files. */
  workloads(namespace: string, kind: string, name: string): readonly Linted[] {
    return this.#workloads.get(workloadKey(namespace, kind, name)) ?? [];
  }

  /** Returns whether the files have any workload in a namespace. */
  hasWorkloads(namespace: string): boolean {
    return this.#namespacesOfWorkloads.has(namespace);
  }

  /** Returns the templates that a selector may match, in the order of the files. @param namespace of the templates; all when absent */
  templatesFor(selector: unknown, namespace?: string): readonly Template[] {
    const index = namespace === undefined ? this.#templates : this.#templatesIn.get(namespace);
    return index?.candidates(selector) ?? [];
  }

  /** Returns the template that a Pod of the files is. */
  pod(namespace: string, name: string): Template | undefined {
    const pod = this.#table.find('', 'Pod', namespace, name);
    return pod === undefined ? undefined : templatesOf(pod)[0];
  }

  /** Returns the SidecarSets that inject a container of a name, by their names. */
  injectors(container: string): readonly Linted[] {
    return this.#injectors.get(container) ?? [];
  }
}
