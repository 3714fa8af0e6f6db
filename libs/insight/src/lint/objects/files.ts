/** The objects of the files, and how they belong together. */
import { isJsonObject, memberAt, objectsAt, textAt } from '@kruise/objects';
import type { Linted } from './linted.ts';
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

/** Lists of what has a namespace, by namespace. */
function byNamespace<T>(items: readonly T[], namespaceOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const item of items) {
    const namespace = namespaceOf(item);
    const list = lists.get(namespace);
    if (list === undefined) lists.set(namespace, [item]);
    else list.push(item);
  }
  return lists;
}

/** Finds objects of the files by kind, name and labels. */
export class Files {
  readonly templates: readonly Template[];
  readonly #table = new ObjectTable();
  readonly #templates: ReadonlyMap<string, readonly Template[]>;
  readonly #workloads: ReadonlyMap<string, readonly Linted[]>;

  constructor(all: readonly Linted[]) {
    for (const linted of all) this.#table.add(linted);
    this.templates = all.flatMap(templatesOf);
    this.#templates = byNamespace(this.templates, ({ of }) => of.namespace);
    this.#workloads = byNamespace(all.filter(isWorkload), ({ namespace }) => namespace);
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

  /** Returns the workloads of a namespace, in the order of the files. */
  workloads(namespace: string): readonly Linted[] {
    return this.#workloads.get(namespace) ?? [];
  }

  /** Returns the templates of a namespace. */
  templatesIn(namespace: string): readonly Template[] {
    return this.#templates.get(namespace) ?? [];
  }
}
