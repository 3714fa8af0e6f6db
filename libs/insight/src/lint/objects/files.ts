/** The objects of the files, and how they belong together. */
import { compareUtf8, isJsonObject, memberAt, objectsAt, textAt } from '@kruise/objects';
import type { Linted } from './linted.ts';

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

/** Finds objects of the files by kind, name and labels. */
export class Files {
  /** In the order of the files. */
  readonly all: readonly Linted[];
  readonly templates: readonly Template[];

  constructor(all: readonly Linted[]) {
    this.all = all;
    this.templates = all.flatMap(templatesOf);
  }

  /** Returns the objects of a kind in a namespace, by name. */
  of(group: string, kind: string, namespace: string): readonly Linted[] {
    return this.all
      .filter((one) => one.group === group && one.kind === kind && one.namespace === namespace)
      .toSorted((a, b) => compareUtf8(a.name, b.name));
  }

  find(group: string, kind: string, namespace: string, name: string): Linted | undefined {
    return this.of(group, kind, namespace).find((one) => one.name === name);
  }

  /** Returns the workloads of a namespace, in the order of the files. */
  workloads(namespace: string): readonly Linted[] {
    return this.all.filter((one) => one.namespace === namespace && isWorkload(one));
  }

  /** Returns the templates of a namespace. */
  templatesIn(namespace: string): readonly Template[] {
    return this.templates.filter(({ of }) => of.namespace === namespace);
  }
}
