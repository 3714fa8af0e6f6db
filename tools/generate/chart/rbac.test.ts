import { describe, expect, it } from '@jest/globals';
import { allKinds, crdName } from '@kruise/api';
import { recordedInstallation } from '@kruise/testing';
import { ruleOf } from './policy-rules.ts';
import { plainRoles } from './rbac.ts';
import { roles } from './roles.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Fact {
  readonly kind: string;
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly labels?: Readonly<Record<string, string>>;
}

interface Facts {
  readonly chart: {
    readonly objects: readonly Fact[];
    readonly bindings: readonly {
      readonly name: string;
      readonly roleRef: object;
      readonly subjects: readonly { readonly name: string }[];
    }[];
  };
}

/** Each single right as text: `verb group/resource[=name]`. */
const rightsOf = (rules: readonly Rule[]): ReadonlySet<string> =>
  new Set(
    rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          (resourceNames ?? ['']).flatMap((name) => verbs.map((verb) => `${verb} ${group}/${resource}${name === '' ? '' : `=${name}`}`)),
        ),
      ),
    ),
  );

const minus = (a: ReadonlySet<string>, b: ReadonlySet<string>): readonly string[] => [...a].filter((right) => !b.has(right)).sort();

const converted = allKinds.filter(({ conversion }) => conversion === 'Webhook').map(crdName);
const rights = (verbs: readonly string[], things: readonly string[]): readonly string[] =>
  things.flatMap((thing) => verbs.map((verb) => `${verb} ${thing}`)).sort();
const alreadyThere = ['statefulsets', 'sidecarsets', 'daemonsets'].map((plural) => `${plural}.apps.kruise.io`);
const change = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const read = ['get', 'list', 'watch'];

/** Every intended difference to the recorded roles. */
const differences: Readonly<
  Record<string, { readonly added?: readonly string[]; readonly removed?: readonly string[] | 'Some'; readonly because: string }>
> = {
  'kruise-certs-role': {
    because: 'the manager puts its certificate into every CRD that has a converter, and replaces webhook configurations as a whole',
    removed: rights(
      ['patch'],
      [
        'admissionregistration.k8s.io/mutatingwebhookconfigurations=kruise-mutating-webhook-configuration',
        'admissionregistration.k8s.io/validatingwebhookconfigurations=kruise-validating-webhook-configuration',
      ],
    ),
    added: rights(
      ['update', 'watch'],
      converted.filter((name) => !alreadyThere.includes(name)).map((name) => `apiextensions.k8s.io/customresourcedefinitions=${name}`),
    ),
  },
  'kruise-manager-role': {
    because:
      'the manager has rights for the kinds that it serves, and of these those that it uses; an audit log of the tests on real nodes is compared with them; budgets watch what they count',
    added: [...rights(read, ['/replicationcontrollers', 'apps/daemonsets']), 'get apps.kruise.io/uniteddeployments/scale'].sort(),
    removed: 'Some',
  },
  'kruise-webhook-role': {
    because: 'the certificate is made and replaced, under one name',
    removed: rights(['delete', 'get', 'list', 'patch', 'update', 'watch'], ['/secrets']),
    added: rights(['get', 'list', 'update', 'watch'], ['/secrets=kruise-webhook-certs']),
  },
  'kruise-leader-election-role': {
    because: 'the lease is made, read and renewed',
    removed: rights(['delete', 'list', 'patch', 'watch'], ['coordination.k8s.io/leases']),
  },
  'kruise-daemon-role': {
    because: 'the daemon watches its work and writes each status in one way; it never reads a single object and changes nothing else',
    removed: [
      ...rights(['get', 'patch', 'update'], ['/pods', 'apps.kruise.io/nodeimages']),
      ...rights(['get'], ['apps.kruise.io/containerrecreaterequests', 'apps.kruise.io/nodepodprobes']),
      ...rights(['get', 'update'], ['/pods/status', 'apps.kruise.io/containerrecreaterequests/status']),
      ...rights(['get', 'patch'], ['apps.kruise.io/nodeimages/status', 'apps.kruise.io/nodepodprobes/status']),
      ...rights(['update'], ['/events']),
    ].sort(),
  },
  'kruise-daemon-secret-role': {
    because: 'the daemon reads the secrets it is told of, by name',
    removed: rights(['list', 'watch'], ['/secrets']),
  },
  'kruise-helm-hook-role': {
    because:
      'the hook also tells of kinds that do not stop the uninstall, and deletes what a manager must clean up after while there is one',
    added: [
      ...rights(['list'], ['apps.kruise.io/broadcastjobs', 'apps.kruise.io/sidecarsets', 'apps.kruise.io/uniteddeployments']),
      ...rights(
        ['delete', 'list', 'patch'],
        ['containerrecreaterequests', 'ephemeraljobs', 'imagepulljobs', 'podprobemarkers'].map((plural) => `apps.kruise.io/${plural}`),
      ),
    ].sort(),
  },
  'aggregate-kruise-view': {
    because: 'those who may read other kinds may read these, too',
    added: rights(read, [
      'apps.kruise.io/ephemeraljobs',
      'apps.kruise.io/ephemeraljobs/status',
      'policy.kruise.io/podunavailablebudgets',
      'policy.kruise.io/podunavailablebudgets/status',
    ]),
  },
  'aggregate-kruise-edit': {
    because: 'those who may change other kinds may change these, too',
    added: rights(change, ['apps.kruise.io/ephemeraljobs', 'policy.kruise.io/podunavailablebudgets']),
  },
};

const besides = { role: 'kruise-manager-secret-role', binding: 'kruise-manager-secret-rolebinding' };

describe('the recorded roles', () => {
  const facts = recordedInstallation('rbac') as Facts;

  it('all exist, and no others but that for copies of pull secrets, which the original makes with rights on all Secrets', () => {
    expect(roles.map(({ name }) => name).sort()).toEqual([...facts.chart.objects.map(({ name }) => name), besides.role].sort());
  });

  it.each(facts.chart.objects.map((fact) => ({ name: fact.name, fact })))(
    '$name has the same rights but for listed differences',
    ({ name, fact }) => {
      const role = roles.find((candidate) => candidate.name === name);
      const [ours, theirs] = [rightsOf((role?.rules ?? []).map(ruleOf)), rightsOf(fact.rules)];
      const { added = [], removed = [] } = differences[name] ?? {};
      expect(minus(ours, theirs)).toEqual(added);
      if (removed === 'Some') expect(minus(theirs, ours)).not.toEqual([]);
      else expect(minus(theirs, ours)).toEqual(removed);
      expect(role?.namespace === undefined ? 'ClusterRole' : 'Role').toBe(fact.kind);
      expect(role?.label === undefined ? undefined : { [role.label]: 'true' }).toEqual(fact.labels);
    },
  );

  it('are bound to the same accounts under the same names', () => {
    const ours = roles.flatMap(({ name, account }) => (account === undefined ? [] : [[name.replace(/-role$/, '-rolebinding'), account]]));
    const theirs = facts.chart.bindings.map(({ name, subjects }) => [name, subjects[0]?.name]);
    expect(ours.sort()).toEqual([...theirs, [besides.binding, 'kruise-manager']].sort());
  });
});

describe('the roles', () => {
  it('allow changes of webhook configurations and CRDs only by name', () => {
    const objects = plainRoles() as readonly { readonly rules?: readonly Rule[] }[];
    const writes = objects
      .flatMap(({ rules = [] }) => rules)
      .filter(
        ({ apiGroups, verbs }) =>
          apiGroups.some((group) => /admissionregistration|apiextensions/.test(group)) && verbs.some((verb) => !read.includes(verb)),
      );
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.every(({ resourceNames = [] }) => resourceNames.length > 0)).toBe(true);
  });

  it('let the plain manifests list no kind that they do not name, nor the scale of one', () => {
    const rules = (plainRoles() as readonly { readonly rules?: readonly Rule[] }[]).flatMap(({ rules: all = [] }) => all);
    expect(rules.filter(({ apiGroups, resources }) => [...apiGroups, ...resources].some((name) => name.includes('*')))).toEqual([]);
  });

  it('let the plain manifests list every kind of ours, so that a protected CRD of ours is judged by its objects', () => {
    const rules = (plainRoles() as readonly { readonly rules?: readonly Rule[] }[]).flatMap(({ rules: all = [] }) => all);
    const rights = rightsOf(rules.filter(({ resourceNames }) => resourceNames === undefined));
    expect(allKinds.filter(({ group, plural }) => !rights.has(`list ${group}/${plural}`))).toEqual([]);
  });

  it('let Secrets of every namespace be written with ResourceDistributionGate alone, and be read with that, ImagePullJobGate or a value', () => {
    const all = roles.filter(({ namespace }) => namespace === undefined).flatMap(({ rules }) => rules);
    const given = all.flatMap((entry) => (ruleOf(entry).resources.includes('secrets') ? [[entry, ruleOf(entry).verbs] as const] : []));
    const gate = (name: string, value = 'secretsAccess') =>
      `and (eq .Values.installation.${value} "cluster") (eq (include "kruise.gate" (list . "${name}")) "true")`;
    expect(given.map(([entry, verbs]) => [(entry as { when?: string }).when, verbs]).sort()).toEqual([
      [gate('ConfigRollout', 'configRolloutSecrets'), read],
      [gate('ImagePullJobGate'), read],
      [gate('ResourceDistributionGate'), ['create', 'delete', 'get', 'list', 'update', 'watch']],
    ]);
  });

  it('never grant the right to everything', () => {
    const all = roles.flatMap(({ rules }) => rules.map(ruleOf));
    expect(all.filter(({ verbs }) => verbs.includes('*'))).toEqual([]);
    expect(all.filter(({ resources, verbs }) => resources.includes('*') && verbs.join() !== 'list')).toEqual([]);
  });
});
