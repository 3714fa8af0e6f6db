/** Who may do what: one table of roles, from which come the chart's RBAC and that of the plain manifests. Nothing beyond what the code uses. */
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
import { withHashOrigin, withTemplateOrigin, type Generator } from '../generator.ts';
import {
  daemonAccount,
  helmHookAccount,
  managerAccount,
  mutatingConfigurationName,
  plainDaemonConfigNamespace,
  plainNamespace,
  validatingConfigurationName,
  webhookSecretName,
} from '../names.ts';
import { toYaml } from '../yaml.ts';

const source = 'tools/generate/chart/rbac.ts';
const chartFolder = 'charts/kruise/templates/generated/rbac';
const plainFolder = 'deploy/manifests/generated/rbac';

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A rule that the chart renders under a condition, or whose groups come from the values. */
interface ConditionalRule {
  readonly rule: PolicyRule;
  /** A Helm condition. */
  readonly when?: string;
  /** A Helm value that replaces the rule's groups. */
  readonly groupsFrom?: string;
}

export interface RoleDeclaration {
  readonly name: string;
  /** Namespaces are values of the chart; without one it is a ClusterRole. */
  readonly namespace?: 'installation' | 'daemonConfig';
  readonly rules: readonly (PolicyRule | ConditionalRule)[];
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

const rule = (
  group: string,
  resources: string | readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({
  apiGroups: [group],
  resources: typeof resources === 'string' ? [resources] : resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
  verbs,
});

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

/** Helm conditions; all of them have to hold. */
const conditionsOf = ({ gates = [], withheldBy, groupsFrom }: Right): readonly string[] => [
  ...(withheldBy === undefined ? [] : [`eq .Values.installation.${withheldBy} "cluster"`]),
  ...gates.map((gate) => `eq (include "kruise.gate" (list . "${gate}")) "true"`),
  ...(groupsFrom === undefined ? [] : [`.Values.installation.${groupsFrom}`]),
];

const inAnd = (conditions: readonly string[]): string =>
  conditions.length < 2 ? conditions.join('') : `and ${conditions.map((one) => (one.includes(' ') ? `(${one})` : one)).join(' ')}`;

interface OneResource {
  readonly group: string;
  readonly resource: string;
  readonly conditions: readonly string[];
  readonly groupsFrom: Right['groupsFrom'];
  readonly verbs: readonly string[];
}

/** Without the verbs that are held already where fewer conditions hold. */
function withoutHeld(one: OneResource, all: readonly OneResource[]): OneResource {
  const held = all
    .filter(({ group, resource }) => group === one.group && resource === one.resource)
    .filter(({ conditions }) => conditions.length < one.conditions.length && conditions.every((name) => one.conditions.includes(name)))
    .flatMap(({ verbs }) => verbs);
  return { ...one, verbs: one.verbs.filter((verb) => !held.includes(verb)) };
}

/** All verbs on each resource, then one rule for the resources of a group that have the same verbs under the same conditions. */
function mergeRights(rights: readonly Right[]): readonly ConditionalRule[] {
  const single = rights.flatMap((one) => one.resources.map((resource) => ({ ...one, resource, conditions: conditionsOf(one) })));
  const byResource = Map.groupBy(single, ({ group, resource, conditions }) => [group, resource, ...conditions].join('|'));
  const merged = [...byResource.values()].flatMap(([first, ...others]): readonly OneResource[] =>
    first === undefined
      ? []
      : [{ groupsFrom: undefined, ...first, verbs: [...new Set([first, ...others].flatMap(({ verbs }) => verbs))].sort() }],
  );
  const needed = merged.map((one) => withoutHeld(one, merged)).filter(({ verbs }) => verbs.length > 0);
  const alike = Map.groupBy(needed, ({ group, conditions, verbs }) => [group, ...conditions, ...verbs].join('|'));
  return [...alike.values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const when = inAnd(first.conditions);
    const resources = list.map(({ resource }) => resource).sort();
    return {
      rule: rule(first.group, resources, first.verbs),
      ...(when === '' ? {} : { when }),
      ...(first.groupsFrom === undefined ? {} : { groupsFrom: `.Values.installation.${first.groupsFrom}` }),
    };
  });
}

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

/** Every role of the installation. @see spec/helm-chart.md 9 */
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
const migrationRules: readonly (PolicyRule | ConditionalRule)[] = [
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
const isOfValues = (entry: PolicyRule | ConditionalRule): boolean =>
  isConditional(entry) && (entry.groupsFrom !== undefined || entry.when?.includes(optIn) === true);

const isConditional = (entry: PolicyRule | ConditionalRule): entry is ConditionalRule => 'rule' in entry;
export const ruleOf = (entry: PolicyRule | ConditionalRule): PolicyRule => (isConditional(entry) ? entry.rule : entry);

/** Where the objects of an installation are; in the chart these are Helm actions. */
interface Namespaces {
  readonly installation: string;
  readonly daemonConfig: string;
  /** Namespace of a ServiceAccount. */
  readonly accounts: (account: string) => string;
}

const bindingName = (role: string): string => role.replace(/-role$/, '-rolebinding');

const placeOf = (role: RoleDeclaration, at: Namespaces): object => (role.namespace === undefined ? {} : { namespace: at[role.namespace] });

/** The role without its rules, which come last. */
const roleHead = (role: RoleDeclaration, at: Namespaces): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: role.namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: { name: role.name, ...placeOf(role, at), ...(role.label === undefined ? {} : { labels: { [role.label]: 'true' } }) },
});

const bindingOf = (role: RoleDeclaration, account: string, at: Namespaces): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: role.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: bindingName(role.name), ...placeOf(role, at) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.namespace === undefined ? 'ClusterRole' : 'Role', name: role.name },
  subjects: [{ kind: 'ServiceAccount', name: account, namespace: at.accounts(account) }],
});

const plainPlaces: Namespaces = { installation: plainNamespace, daemonConfig: plainDaemonConfigNamespace, accounts: () => plainNamespace };

/** Roles and bindings of the plain manifests: every condition on gates is met. */
export const plainRoles = (): readonly object[] =>
  roles
    .filter(({ hook }) => hook !== true)
    .flatMap((role) => [
      { ...roleHead(role, plainPlaces), rules: role.rules.filter((entry) => !isOfValues(entry)).map(ruleOf) },
      ...(role.account === undefined ? [] : [bindingOf(role, role.account, plainPlaces)]),
    ]);

/** Placeholders for the actions until the YAML is printed, which would quote them. */
const marks = { installation: 'mark-installation', daemonConfig: 'mark-daemon-config', daemon: 'mark-daemon' };
const chartPlaces: Namespaces = {
  installation: marks.installation,
  daemonConfig: marks.daemonConfig,
  accounts: (account) => (account === daemonAccount ? marks.daemon : marks.installation),
};

const withActions = (yaml: string): string =>
  yaml
    .replaceAll(marks.installation, '{{ .Values.installation.namespace | quote }}')
    .replaceAll(marks.daemonConfig, '{{ .Values.daemon.configNamespace | quote }}')
    .replaceAll(marks.daemon, '{{ include "kruise.daemonNamespace" . | quote }}');

const when = (condition: string | undefined, text: string): string =>
  condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;

const indented = (value: unknown): string => toYaml(value).replace(/^/gm, '  ').trimEnd() + '\n';

/** A rule as an element of a list that is indented by two. */
function chartRule(entry: PolicyRule | ConditionalRule): string {
  if (!isConditional(entry)) return indented([entry]);
  const { rule: wanted, groupsFrom } = entry;
  if (groupsFrom === undefined) return when(entry.when, indented([wanted]));
  const text = indented([{ ...wanted, apiGroups: 'mark-groups' }]);
  return when(entry.when, text.replace('apiGroups: mark-groups', `apiGroups:\n      {{- toYaml ${groupsFrom} | nindent 6 }}`));
}

function chartRole(role: RoleDeclaration): string {
  const head = withActions(toYaml(roleHead(role, chartPlaces)));
  const binding = role.account === undefined ? '' : `---\n${withActions(toYaml(bindingOf(role, role.account, chartPlaces)))}`;
  return when(role.when, `---\n${head}rules:\n${role.rules.map(chartRule).join('')}${role.chartRules ?? ''}${binding}`);
}

/** Rules alone, for the templates that have the annotations of a hook. */
const rulesNamed = (name: string, rules: readonly (PolicyRule | ConditionalRule)[]): string => {
  const texts = rules.map((entry) => when(isConditional(entry) ? entry.when : undefined, toYaml([ruleOf(entry)])));
  return `{{- define "${name}" -}}\n${texts.join('')}{{- end }}\n`;
};
const hookRules = (): string =>
  rulesNamed(
    'kruise.helmHookRules',
    roles.filter(({ hook }) => hook === true).flatMap(({ rules }) => rules.map(ruleOf)),
  ) + rulesNamed('kruise.migrationRules', migrationRules);

export const rbacGenerator: Generator = {
  name: 'RBAC',
  folders: [chartFolder, plainFolder],
  files: () => [
    {
      path: `${chartFolder}/roles.yaml`,
      content: withTemplateOrigin(
        source,
        roles
          .filter(({ hook }) => hook !== true)
          .map(chartRole)
          .join(''),
      ),
    },
    { path: `${chartFolder}/_helm-hook-rules.tpl`, content: withTemplateOrigin(source, hookRules()) },
    { path: `${plainFolder}/rbac.yaml`, content: withHashOrigin(source, plainRoles().map(toYaml).join('---\n')) },
  ],
};
