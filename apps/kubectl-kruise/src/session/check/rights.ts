/** Asks the API server for rights: those of the manager's ServiceAccount, and those of the user. */
import { allFeatures, allKinds, type Right } from '@kruise/api';
import { type CallOptions, type Client, urlPath } from '@kruise/kube';
import { memberAt, stringAt } from '@kruise/objects';
import { managerGates } from '../../check/installation.ts';
import type { At, RightFact } from '../../check/facts.ts';
import { type Untyped } from '../../objects/untyped.ts';

/** One verb on one resource, in one namespace or everywhere. */
export interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

const textOf = ({ verb, group, resource, namespace }: Asked): string =>
  `${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === undefined ? '' : ` in ${namespace}`}`;

const attributesOf = ({ verb, group, resource, namespace }: Asked): object => {
  const [plural = '', subresource] = resource.split('/');
  return {
    verb,
    group,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
  };
};

const reviews = urlPath`/apis/authorization.k8s.io/v1/subjectaccessreviews`;
const selfReviews = urlPath`/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;

/** Requests one right. @param subject the user of the client when undefined */
export async function ask(client: Client, asked: Asked, subject: object | undefined, options: CallOptions): Promise<RightFact> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: subject === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview',
    spec: { ...subject, resourceAttributes: attributesOf(asked) },
  };
  const answer = await client.raw(subject === undefined ? selfReviews : reviews, { ...options, method: 'POST', body });
  return { right: textOf(asked), allowed: memberAt(answer, 'status', 'allowed') === true };
}

/** Verbs that another verb of the same right implies: a subject that may list may also get and watch. */
const implied = new Set(['get', 'watch']);

const askedOf = ({ group, resources, verbs }: Right): readonly Asked[] =>
  resources.flatMap((resource) => {
    const chosen = verbs.filter((verb) => !(implied.has(verb) && verbs.includes('list')));
    return chosen.map((verb) => ({ verb, group, resource }));
  });

/** What the manager needs with these gates wherever it is installed; what values of the chart withhold is omitted. */
function neededRights(manager: Untyped, at: At): readonly Asked[] {
  const gates = managerGates([manager], at);
  const isNeeded = (right: Pick<Right, 'gates' | 'withheldBy' | 'groupsFrom'>): boolean =>
    (right.gates ?? []).every((gate) => gates[gate]) && right.withheldBy === undefined && right.groupsFrom === undefined;
  const ofKinds = allKinds.flatMap(({ group, plural, rights, controllerName }): readonly Right[] =>
    controllerName === '' || !isNeeded({ gates: rights?.gates ?? [] })
      ? []
      : [
          { group, resources: [plural], verbs: ['list', ...(rights?.own ?? [])] },
          ...(rights?.status === undefined ? [] : [{ group, resources: [`${plural}/status`], verbs: rights.status }]),
          ...(rights?.others ?? []),
        ],
  );
  const rights = [...ofKinds, ...allFeatures.flatMap((feature) => feature.rights)].filter(isNeeded);
  const inOwn = { namespace: at.namespace };
  const own: readonly Asked[] = [
    { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', ...inOwn },
    { verb: 'create', group: '', resource: 'events' },
    { verb: 'list', group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
    { verb: 'list', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  ];
  return [...new Map([...own, ...rights.flatMap(askedOf)].map((asked) => [textOf(asked), asked])).values()];
}

/** @returns none without a manager */
export async function managerRights(
  client: Client,
  manager: Untyped | undefined,
  at: At,
  options: CallOptions,
): Promise<readonly RightFact[]> {
  if (manager === undefined) return [];
  const account = stringAt(manager, 'spec', 'template', 'spec', 'serviceAccountName') ?? 'default';
  const user = `system:serviceaccount:${at.namespace}:${account}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${at.namespace}`, 'system:authenticated'];
  return Promise.all(neededRights(manager, at).map((asked) => ask(client, asked, { user, groups }, options)));
}

const installed: readonly Omit<Asked, 'verb'>[] = [
  { group: '', resource: 'namespaces' },
  { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
  { group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
  { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
];
const installedInNamespace: readonly Omit<Asked, 'verb'>[] = [
  { group: 'apps', resource: 'deployments' },
  { group: 'apps', resource: 'daemonsets' },
  { group: '', resource: 'services' },
  { group: '', resource: 'secrets' },
  { group: '', resource: 'serviceaccounts' },
];

/** What a user needs to install the chart. */
export const ownRights = (client: Client, { namespace }: At, options: CallOptions): Promise<readonly RightFact[]> => {
  const asked = [...installed, ...installedInNamespace.map((one) => ({ ...one, namespace }))].map((one) => ({ ...one, verb: 'create' }));
  return Promise.all(asked.map((one) => ask(client, one, undefined, options)));
};
