/** Pods that the API server refuses: limits of the namespace, policies, webhooks of other products, and objects that are missing. */
import { isRefusedWrite, RefusedWrites } from '../processes/admission-policy.testing.ts';
import { pods } from '@kruise/objects';
import { createClient, loadClusterConfig } from '@kruise/kube';
import type { StuckCluster } from './stuck-cluster.testing.ts';
import {
  blockedCloneSet,
  cloneSet,
  deployment,
  image,
  other,
  refusedDeployment,
  statefulSet,
  template,
  type StuckState,
} from './stuck-state.testing.ts';
import { denial, podWebhook } from './webhook-of-another-product.testing.ts';

const podOf = (app: string, container: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...template(app, {}, container),
  metadata: { name: 'probe' },
});

/** A quota that the CloneSet `sound` has used up. */
const quota: StuckState = {
  name: 'a ResourceQuota that is used up',
  namespace: 'quota',
  prepare: async (cluster) => {
    await cluster.create(other('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '1' } } }));
    await cluster.until({ list: 'resourcequotas', text: /"used":\{"pods":"1"\}/ });
  },
  objects: [deployment('web'), cloneSet('clone'), statefulSet('apps/v1', 'db'), statefulSet('apps.kruise.io/v1beta1', 'asts')],
  signs: [
    refusedDeployment(/exceeded quota: few/),
    blockedCloneSet('QuotaExceeded'),
    { list: 'events', text: /"kind":"StatefulSet".*"name":"db".*exceeded quota: few/ },
    { list: 'apps.kruise.io/v1beta1/statefulsets', text: /"reason":"QuotaExceeded"/ },
  ],
  answers: [
    {
      target: 'deployment/web',
      reason: 'QuotaExceeded',
      message: /^Deployment web: ResourceQuota few allows no more$/,
      evidence:
        /^Deployment web status\.conditions\[ReplicaFailure\]: .*exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1$/,
      next: /^Raise the ResourceQuota/,
    },
    {
      target: 'clone/clone',
      reason: 'QuotaExceeded',
      message: /exceeded quota: few, requested: pods=1/,
      evidence: /^CloneSet clone status\.conditions\[Blocked\]: QuotaExceeded$/,
      next: /^Raise the ResourceQuota/,
    },
    {
      target: 'statefulset/db',
      reason: 'QuotaExceeded',
      message: /^StatefulSet db: ResourceQuota few allows no more$/,
      evidence: /^StatefulSet db event FailedCreate: .*exceeded quota: few/,
      next: /^Raise the ResourceQuota/,
    },
    {
      target: 'asts/asts',
      reason: 'QuotaExceeded',
      message: /exceeded quota: few/,
      evidence: /^StatefulSet asts status\.conditions\[Blocked\]: QuotaExceeded$/,
      next: /^Raise the ResourceQuota/,
    },
  ],
};

const limits: StuckState = {
  name: 'a LimitRange that allows less',
  namespace: 'limits',
  prepare: async (cluster) => {
    await cluster.create(other('v1', 'LimitRange', 'small', { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } }));
    await cluster.untilRefused(podOf('web', { resources: { limits: { cpu: '2' } } }), /maximum cpu usage/);
  },
  objects: [deployment('web', { template: template('web', {}, { resources: { limits: { cpu: '2' } } }) })],
  signs: [refusedDeployment(/maximum cpu usage/)],
  answers: [
    {
      target: 'deployment/web',
      reason: 'LimitRangeRefuses',
      message: /do not fit a LimitRange/,
      evidence: /^Deployment web status\.conditions\[ReplicaFailure\]: .*maximum cpu usage per Container is 1, but limit is 2/,
      next: /^Set requests and limits/,
    },
  ],
};

/** Everything that {@link RefusedWrites} makes lasts as long as the plane. */
async function refuseForeignTeams(cluster: StuckCluster): Promise<void> {
  const client = createClient(loadClusterConfig({ path: cluster.plane.kubeconfigPath }), { userAgent: 'integration-test' });
  const { namespace } = cluster;
  const policy = { name: 'no-team-red', namespace, operation: 'CREATE', refuses: "object.metadata.labels['app'] != 'sound'" } as const;
  const probe = {
    metadata: { namespace, name: 'probe', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: image('1') }] },
  };
  await RefusedWrites.begin(cluster.plane, policy, () => isRefusedWrite(client.create(pods, probe, { dryRun: true })));
  client.close();
}

const policy: StuckState = {
  name: 'a ValidatingAdmissionPolicy',
  namespace: 'policy',
  prepare: refuseForeignTeams,
  objects: [deployment('web'), cloneSet('clone')],
  signs: [refusedDeployment(/ValidatingAdmissionPolicy/), blockedCloneSet('AdmissionRefuses')],
  answers: [
    {
      target: 'deployment/web',
      reason: 'PolicyRefuses',
      message: /^Deployment web: ValidatingAdmissionPolicy no-team-red refuses: refused by the administrator$/,
      evidence: /^Deployment web status\.conditions\[ReplicaFailure\]: .*'no-team-red'/,
      next: /^Change the template as the policy requires/,
    },
    {
      target: 'clone/clone',
      reason: 'PolicyRefuses',
      message: /ValidatingAdmissionPolicy 'no-team-red' with binding 'no-team-red' denied request: refused by the administrator/,
      evidence: /^CloneSet clone status\.conditions\[Blocked\]: AdmissionRefuses$/,
      next: /^Change the template as the policy requires/,
    },
  ],
};

const podSecurity: StuckState = {
  name: 'Pod Security',
  namespace: 'pod-security',
  prepare: async (cluster) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await cluster.plane.api.request(`/api/v1/namespaces/${cluster.namespace}`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels } },
    });
    await cluster.untilRefused(podOf('web'), /violates PodSecurity/);
  },
  objects: [deployment('web'), cloneSet('clone')],
  signs: [refusedDeployment(/violates PodSecurity/), blockedCloneSet('AdmissionRefuses')],
  answers: [
    {
      target: 'deployment/web',
      reason: 'PodSecurityRefuses',
      message: /^Deployment web: Pod Security restricted:latest refuses the Pod$/,
      evidence: /^Deployment web .*allowPrivilegeEscalation/,
      next: /^Change the securityContext/,
    },
    {
      target: 'clone/clone',
      reason: 'PodSecurityRefuses',
      message: /violates PodSecurity "restricted:latest"/,
      evidence: /^CloneSet clone status\.conditions\[Blocked\]: AdmissionRefuses$/,
      next: /^Change the securityContext/,
    },
  ],
};

const denies = (clientConfig: () => object): StuckState => ({
  name: 'a webhook of another product that denies',
  namespace: 'webhook-denies',
  prepare: async (cluster) => {
    await cluster.create(podWebhook(cluster.namespace, clientConfig()));
    await cluster.untilRefused(podOf('web'), /denied the request/);
  },
  objects: [deployment('web'), cloneSet('clone')],
  signs: [refusedDeployment(/denied the request/), blockedCloneSet('AdmissionRefuses')],
  answers: [
    {
      target: 'deployment/web',
      reason: 'PolicyRefuses',
      message: new RegExp(`^Deployment web: admission webhook webhook-denies\\.example\\.com refuses: ${denial}$`),
      evidence: /^Deployment web .*admission webhook "webhook-denies\.example\.com" denied the request/,
      next: /^Change the template as the message requires/,
    },
    {
      target: 'clone/clone',
      reason: 'PolicyRefuses',
      message: new RegExp(denial),
      evidence: /^CloneSet clone status\.conditions\[Blocked\]: AdmissionRefuses$/,
      next: /^Change the template as the message requires/,
    },
  ],
});

/** No program listens on the port of discard. */
const silentConfig = { url: 'https://127.0.0.1:9/' };

const silent: StuckState = {
  name: 'a webhook of another product that does not answer',
  namespace: 'webhook-silent',
  prepare: async (cluster) => {
    await cluster.create(podWebhook(cluster.namespace, silentConfig));
    await cluster.untilRefused(podOf('web'), /failed calling webhook "webhook-silent/);
  },
  objects: [deployment('web'), cloneSet('clone')],
  signs: [refusedDeployment(/failed calling webhook/), blockedCloneSet('WebhookFails')],
  answers: [
    {
      target: 'deployment/web',
      reason: 'WebhookFails',
      message: /^Deployment web: admission webhook webhook-silent\.example\.com does not answer$/,
      evidence: /^Deployment web .*connection refused/,
      next: /^Check the Service and Pods of the webhook/,
    },
    {
      target: 'clone/clone',
      reason: 'WebhookFails',
      message: /failed calling webhook "webhook-silent\.example\.com"/,
      evidence: /^CloneSet clone status\.conditions\[Blocked\]: WebhookFails$/,
      next: /^Check the Service and Pods of the webhook/,
    },
  ],
};

const missing: StuckState = {
  name: 'a ServiceAccount or PriorityClass that does not exist',
  namespace: 'missing',
  objects: [
    deployment('account', { template: template('account', { serviceAccountName: 'absent' }) }),
    deployment('priority', { template: template('priority', { priorityClassName: 'absent' }) }),
  ],
  signs: [refusedDeployment(/serviceaccount \\"absent\\" not found/), refusedDeployment(/no PriorityClass with name absent/)],
  answers: [
    {
      target: 'deployment/account',
      reason: 'ServiceAccountMissing',
      message: /^Deployment account: ServiceAccount absent of the Pods does not exist$/,
      evidence: /^Deployment account .*serviceaccount "absent" not found/,
      next: /^Create the ServiceAccount/,
    },
    {
      target: 'deployment/priority',
      reason: 'PriorityClassMissing',
      message: /^Deployment priority: PriorityClass absent of the Pods does not exist$/,
      evidence: /^Deployment priority .*no PriorityClass with name absent/,
      next: /^Create the PriorityClass/,
    },
  ],
};

/** @param clientConfig of the webhook that denies, once it runs */
export const refusedStates = (clientConfig: () => object): readonly StuckState[] => [
  quota,
  limits,
  policy,
  podSecurity,
  denies(clientConfig),
  silent,
  missing,
];
