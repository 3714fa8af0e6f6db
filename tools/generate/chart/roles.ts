/** Who may do what: the table of all roles, with nothing beyond what the code uses. @see spec/helm-chart.md 9 */
import {
  allFeatures,
  allKinds,
  crdName,
  managing,
  reading,
  right,
  type KindDeclaration,
  type Right,
  type UninstallRule,
} from '@kruise/api';
import { modules } from '../../../apps/manager/src/kinds/index.ts';
import {
  daemonAccount,
  helmHookAccount,
  managerAccount,
  mutatingConfigurationName,
  validatingConfigurationName,
  webhookSecretName,
} from '../names.ts';
import { isConditional, mergeRights, rule, type PolicyRule, type RoleRule } from './policy-rules.ts';

export interface RoleDeclaration {
  readonly name: string;
  /** Namespaces are values of the chart; without one it is a ClusterRole. */
  readonly namespace?: 'installation' | 'daemonConfig';
  readonly rules: readonly RoleRule[];
  /** For whom; without one it is aggregated into a role of Kubernetes by `label`. */
  readonly account?: string;
  readonly label?: string;
  /** Rules of the chart that come from its values, as a template. */
  readonly chartRules?: string;
  /** A Helm condition for the role and its binding. */
  readonly when?: string;
  /** Hook objects come and go with the pre-delete hook: the chart has them in its own template, the plain manifests not at all. */
  readonly hook?: boolean;
}

const kruise = 'apps.kruise.io';

/** Kinds that the manager serves. Others have CRDs only, and no program needs rights for them. */
const served = modules.flatMap(({ declaration }) => declaration ?? []);

const rightsForKind = ({ group, plural, rights }: KindDeclaration): readonly Right[] =>
  [
    right(group, [plural], [...reading, ...(rights?.own ?? [])]),
    ...(rights?.owns === true ? [right(group, [`${plural}/finalizers`], ['update'])] : []),
    ...(rights?.status === undefined ? [] : [right(group, [`${plural}/status`], rights.status)]),
    ...(rights?.others ?? []),
  ].map((one): Right => (rights?.gates === undefined ? one : { ...one, gates: [...rights.gates, ...(one.gates ?? [])] }));

/** What the manager does for no kind in particular: events, the Pods of features without a kind, its own webhooks. */
const rightsOfFeatures: readonly Right[] = [
  right('', ['events'], ['create', 'patch']),
  right('', ['pods'], [...reading, 'patch']),
  right('', ['pods/status'], ['patch']),
  // Barriers of containers that start in an order.
  right('', ['configmaps'], managing),
  right('', ['namespaces', 'nodes'], reading),
  right('admissionregistration.k8s.io', ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'], reading),
  right('apiextensions.k8s.io', ['customresourcedefinitions'], reading),
];

const managerRole: RoleDeclaration = {
  name: 'kruise-manager-role',
  account: managerAccount,
  rules: [...mergeRights([...served.flatMap(rightsForKind), ...rightsOfFeatures, ...allFeatures.flatMap(({ rights }) => rights)])],
  chartRules: `{{- range .Values.installation.scaledKinds }}
  - apiGroups:
      - {{ regexReplaceAll "^[^.]*[.]" . "" | quote }}
    resources:
      - {{ printf "%s/scale" (splitList "." . | first) | quote }}
    verbs:
      - get
{{- end }}
`,
};

const converted = allKinds.filter(({ conversion }) => conversion === 'Webhook').map(crdName);

const certsRole: RoleDeclaration = {
  name: 'kruise-certs-role',
  account: managerAccount,
  when: 'ne (include "kruise.gate" (list . "EnableExternalCerts")) "true"',
  rules: [
    rule('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', ['update'], [mutatingConfigurationName]),
    rule('admissionregistration.k8s.io', 'validatingwebhookconfigurations', ['update'], [validatingConfigurationName]),
    rule('apiextensions.k8s.io', 'customresourcedefinitions', ['update', 'watch'], converted),
  ],
};

const withSubresources = ({ plural, versions }: KindDeclaration): readonly string[] => [
  plural,
  ...(versions.some(({ scale }) => scale !== undefined) ? [`${plural}/scale`] : []),
];

/** Rules for end users on the kinds of each group. */
const userRules = (
  kinds: readonly KindDeclaration[],
  resources: (kind: KindDeclaration) => readonly string[],
  verbs: readonly string[],
): readonly PolicyRule[] =>
  [...new Set(kinds.map(({ group }) => group))].map((group) =>
    rule(
      group,
      kinds
        .filter((kind) => kind.group === group)
        .flatMap(resources)
        .sort(),
      verbs,
    ),
  );

const isDistribution = ({ plural }: KindDeclaration): boolean => plural === 'resourcedistributions';
const usersKinds = allKinds.filter((kind) => !isDistribution(kind));
const change = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** Kinds about which uninstalling does one of these, all of one group. */
const pluralsWith = (...rules: readonly UninstallRule['kind'][]): readonly string[] =>
  allKinds.filter(({ atUninstall }) => atUninstall !== undefined && rules.includes(atUninstall.kind)).map(({ plural }) => plural);

/** Every role of the installation. */
export const roles: readonly RoleDeclaration[] = [
  managerRole,
  certsRole,
  {
    name: 'kruise-webhook-role',
    namespace: 'installation',
    account: managerAccount,
    // Lists and watches request this name alone; who creates an object cannot be bound to a name.
    rules: [rule('', 'secrets', ['create']), rule('', 'secrets', [...reading, 'update'], [webhookSecretName])],
  },
  {
    name: 'kruise-manager-secret-role',
    namespace: 'daemonConfig',
    account: managerAccount,
    when: 'and (eq .Values.installation.secretsAccess "cluster") (eq (include "kruise.gate" (list . "ImagePullJobGate")) "true")',
    // Copies of pull secrets, for the agents.
    rules: [rule('', 'secrets', ['create', 'delete', ...reading, 'update'])],
  },
  {
    name: 'kruise-leader-election-role',
    namespace: 'installation',
    account: managerAccount,
    rules: [rule('coordination.k8s.io', 'leases', ['create', 'get', 'update']), rule('', 'events', ['create'])],
  },
  {
    name: 'kruise-daemon-role',
    account: daemonAccount,
    rules: [
      rule(kruise, ['containerrecreaterequests', 'nodeimages', 'nodepodprobes'], ['list', 'watch']),
      rule(kruise, 'containerrecreaterequests/status', ['patch']),
      rule(kruise, ['nodeimages/status', 'nodepodprobes/status'], ['update']),
      rule('', 'pods', ['list', 'watch']),
      rule('', 'pods/status', ['patch']),
      rule('', 'events', ['create', 'patch']),
    ],
  },
  { name: 'kruise-daemon-secret-role', namespace: 'daemonConfig', account: daemonAccount, rules: [rule('', 'secrets', ['get'])] },
  {
    name: 'kruise-helm-hook-role',
    account: helmHookAccount,
    hook: true,
    rules: [rule(kruise, pluralsWith('Refuse', 'Warn'), ['list']), rule(kruise, pluralsWith('CleanUp'), ['delete', 'list', 'patch'])],
  },
  {
    name: 'aggregate-kruise-view',
    label: 'rbac.authorization.k8s.io/aggregate-to-view',
    rules: userRules(usersKinds, (kind) => [...withSubresources(kind), `${kind.plural}/status`], reading),
  },
  {
    name: 'aggregate-kruise-edit',
    label: 'rbac.authorization.k8s.io/aggregate-to-edit',
    rules: userRules(usersKinds, withSubresources, change),
  },
  {
    name: 'aggregate-kruise-admin',
    label: 'rbac.authorization.k8s.io/aggregate-to-admin',
    rules: [rule(kruise, 'resourcedistributions', [...reading, ...change]), rule(kruise, 'resourcedistributions/status', reading)],
  },
];

const isReturning = 'eq .Values.crds.storageVersion "v1alpha1"';
const hasDistributions = '(eq (include "kruise.gate" (list . "ResourceDistributionGate")) "true")';

/** The rights of the job that writes objects again in their storage version: only there, and only while it runs. @see spec/helm-chart.md 12 */
export const migrationRules: readonly RoleRule[] = [
  ...[...new Set(allKinds.map(({ group }) => group))].map((group) =>
    rule(
      group,
      allKinds.filter((kind) => kind.group === group).map(({ plural }) => plural),
      ['list', 'patch'],
    ),
  ),
  rule('apiextensions.k8s.io', 'customresourcedefinitions', ['get'], allKinds.map(crdName)),
  rule('apiextensions.k8s.io', 'customresourcedefinitions/status', ['update'], allKinds.map(crdName)),
  // Owner references name their owner in v1alpha1 before a return.
  ...[
    rule('', ['pods', 'persistentvolumeclaims'], ['list', 'patch']),
    rule('apps', ['controllerrevisions', 'deployments', 'statefulsets'], ['list', 'patch']),
  ].map((wanted) => ({ rule: wanted, when: isReturning })),
  { rule: rule('', 'configmaps', ['list', 'patch']), when: `and (${isReturning}) ${hasDistributions}` },
  {
    rule: rule('', 'secrets', ['list', 'patch']),
    when: `and (${isReturning}) (eq .Values.installation.secretsAccess "cluster") ${hasDistributions}`,
  },
];

/** A value that is off by default. */
const optIn = '.Values.installation.configRolloutSecrets';

/** The plain manifests give no right on every kind, and none that a value of the chart has to request. */
export const isOfValues = (entry: RoleRule): boolean =>
  isConditional(entry) && (entry.groupsFrom !== undefined || entry.when?.includes(optIn) === true);
