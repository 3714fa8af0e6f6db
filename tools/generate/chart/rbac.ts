/** Writes the roles as RBAC of the chart and of the plain manifests. */
import { withHashOrigin, withTemplateOrigin, type Generator } from '../generator.ts';
import { daemonAccount, plainDaemonConfigNamespace, plainNamespace } from '../names.ts';
import { toYaml } from '../yaml.ts';
import { isConditional, ruleOf, type RoleRule } from './policy-rules.ts';
import { isOfValues, migrationRules, roles, type RoleDeclaration } from './roles.ts';

const source = 'tools/generate/chart/rbac.ts';
const chartFolder = 'charts/kruise/templates/generated/rbac';
const plainFolder = 'deploy/manifests/generated/rbac';

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
function chartRule(entry: RoleRule): string {
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
const rulesNamed = (name: string, rules: readonly RoleRule[]): string => {
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
