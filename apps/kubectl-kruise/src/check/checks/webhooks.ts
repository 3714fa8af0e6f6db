/** Checks of the webhook configurations, their certificates, and the way to the manager. */
import { admissionPaths, allKinds, crdName, objectNames } from '@kruise/api';
import { counted, labelMatcherOf, memberAt, numberAt, objectsAt, stringAt } from '@kruise/objects';
import { advice, check, fault, named, skipped, sound, type Check } from '../check.ts';
import type { CertificateFact } from '../facts.ts';
import {
  areOutside,
  configurationOf,
  failsClosed,
  inNamespace,
  isReadyEndpoint,
  managerGates,
  ownEntries,
  pathOf,
} from '../installation.ts';

const configurationsExist = check(
  'webhook-configurations',
  'Both webhook configurations exist.',
  ['mutating', 'validating'],
  ({ mutating, validating }) => {
    const absent = [
      ...(configurationOf(mutating, objectNames.mutatingWebhooks) === undefined ? [objectNames.mutatingWebhooks] : []),
      ...(configurationOf(validating, objectNames.validatingWebhooks) === undefined ? [objectNames.validatingWebhooks] : []),
    ];
    return absent.length === 0
      ? sound(`${ownEntries({ mutating, validating }).length} webhooks`)
      : fault(`${absent.join(' and ')} do not exist: objects are neither defaulted nor validated.`, 'Install the chart again.');
  },
);

const webhookEntries = check(
  'webhook-entries',
  'Every installed kind has its webhooks.',
  ['mutating', 'validating', 'definitions'],
  ({ mutating, validating, definitions }) => {
    const paths = {
      mutate: new Set(objectsAt(configurationOf(mutating, objectNames.mutatingWebhooks), 'webhooks').map(pathOf)),
      validate: new Set(objectsAt(configurationOf(validating, objectNames.validatingWebhooks), 'webhooks').map(pathOf)),
    };
    const missing = allKinds.filter((kind) => {
      if (kind.admission === undefined || !definitions.has(crdName(kind))) return false;
      const lacks = (verb: 'mutate' | 'validate'): boolean => !admissionPaths(kind, verb).some((path) => paths[verb].has(path));
      return (kind.admission.mutates !== undefined && lacks('mutate')) || (kind.admission.validates !== undefined && lacks('validate'));
    });
    return missing.length === 0
      ? sound('all')
      : fault(
          `The configurations lack webhooks of ${named(missing.map(({ kind }) => kind))}.`,
          'Upgrade the chart: its release is older than the CRDs, or the configurations were edited.',
        );
  },
);

const bundlesAgree = check('ca-bundle', 'All webhooks trust the same authority.', ['mutating', 'validating'], (seen) => {
  const entries = ownEntries(seen);
  if (entries.length === 0) return skipped('There are no webhooks.');
  const empty = entries.filter((entry) => (stringAt(entry, 'clientConfig', 'caBundle') ?? '') === '');
  if (empty.length > 0)
    return fault(
      `${empty.length} of ${entries.length} webhooks have no caBundle, so the API server cannot call them.`,
      'The manager writes it when it starts; its log shows what prevents this.',
    );
  const bundles = new Set(entries.map((entry) => stringAt(entry, 'clientConfig', 'caBundle')));
  return bundles.size === 1
    ? sound(counted(entries.length, 'webhook'))
    : fault(
        `The webhooks have ${bundles.size} different values of caBundle, and one server certificate.`,
        'Another program writes the configurations, such as a GitOps tool: let it ignore clientConfig.caBundle.',
      );
});

const bundleIsOfSecret = check(
  'ca-secret',
  'The webhooks trust the authority of the Secret.',
  ['mutating', 'validating', 'certificates', 'managers'],
  (seen, at) => {
    if (managerGates(seen.managers, at).EnableExternalCerts) return skipped('Certificates come from outside (EnableExternalCerts).');
    const entries = ownEntries(seen);
    if (entries.length === 0 || areOutside(entries)) return skipped('The webhooks do not use the Secret.');
    if (seen.certificates === undefined)
      return fault(`Secret ${at.namespace}/${objectNames.webhookSecret} has no certificates.`, 'The manager writes them; read its log.');
    const { authority } = seen.certificates;
    const differs = entries.filter((entry) => stringAt(entry, 'clientConfig', 'caBundle') !== authority);
    return differs.length === 0
      ? sound(objectNames.webhookSecret)
      : fault(
          `${differs.length} of ${entries.length} webhooks trust an authority other than that of the Secret.`,
          'Restart the manager, which writes caBundle; if it differs again, another program writes it.',
        );
  },
);

const dayMs = 24 * 3600 * 1000;
const soonMs = 14 * dayMs;

/** Why a certificate does not serve at a time; undefined when it does. */
function timeFault({ notBefore, notAfter }: CertificateFact, now: number): string | undefined {
  if (notAfter <= now) return `expired at ${new Date(notAfter).toISOString()}`;
  return notBefore > now ? `is not valid before ${new Date(notBefore).toISOString()}` : undefined;
}

const renewNext = `Delete the data of the Secret ${objectNames.webhookSecret} and restart the manager: it makes new certificates.`;

const servingCertificate = check(
  'serving-certificate',
  'The certificate of the webhook server is valid and for the Service.',
  ['certificates', 'mutating', 'validating'],
  (seen, at) => {
    if (areOutside(ownEntries(seen)) || seen.certificates === undefined) return skipped('The webhooks do not use the Secret.');
    const { serving, signedByAuthority } = seen.certificates;
    if (serving === undefined) return fault('The Secret has no readable certificate.', renewNext);
    const wrong = timeFault(serving, at.now);
    if (wrong !== undefined) return fault(`The certificate ${wrong}.`, renewNext);
    const host = `${objectNames.webhookService}.${at.namespace}.svc`;
    if (!serving.hosts.includes(host)) return fault(`The certificate is not for ${host}, but for ${named(serving.hosts)}.`, renewNext);
    if (!signedByAuthority) return fault('The certificate is not signed by the authority of the Secret.', renewNext);
    if (serving.notAfter - at.now < soonMs)
      return advice(
        `The certificate expires at ${new Date(serving.notAfter).toISOString()}.`,
        'The manager renews it; check that it runs.',
      );
    return sound(`until ${new Date(serving.notAfter).toISOString().slice(0, 10)}`);
  },
);

const authorityCertificate = check('ca-certificate', 'The authority of the webhooks is valid.', ['bundles'], ({ bundles }, at) => {
  const [wrong] = bundles.flatMap((bundle) => timeFault(bundle, at.now) ?? []);
  if (wrong !== undefined) return fault(`An authority in caBundle ${wrong}.`, renewNext);
  return bundles.length === 0 ? skipped('No caBundle contains a certificate.') : sound(`${bundles.length}`);
});

const webhookService = check(
  'webhook-service',
  'The Service of the webhooks selects the Pods of the manager.',
  ['service', 'managerPods', 'mutating', 'validating'],
  ({ service, managerPods, ...configurations }, at) => {
    const entries = ownEntries(configurations);
    if (areOutside(entries)) return skipped('The webhooks are called by URL.');
    const elsewhere = entries.filter((entry) => {
      const { namespace, name } = (memberAt(entry, 'clientConfig', 'service') ?? {}) as {
        readonly namespace?: string;
        readonly name?: string;
      };
      return namespace !== at.namespace || name !== objectNames.webhookService;
    });
    if (elsewhere.length > 0)
      return fault(
        `${elsewhere.length} of ${entries.length} webhooks call a Service other than ${at.namespace}/${objectNames.webhookService}.`,
        'Install the chart again in this namespace, or name the other namespace with -n.',
      );
    if (service === undefined)
      return fault(`Service ${at.namespace}/${objectNames.webhookService} does not exist.`, 'Install the chart again.');
    const selector = memberAt(service, 'spec', 'selector') as Readonly<Record<string, string>> | undefined;
    const parsed = labelMatcherOf({ matchLabels: selector ?? {} });
    const matched = managerPods.filter(
      ({ metadata }) =>
        parsed.kind === 'Matcher' && Object.entries(selector ?? {}).every(([key, value]) => metadata.labels?.[key] === value),
    );
    if (managerPods.length > 0 && matched.length === 0)
      return fault('The selector of the Service selects no Pod of the manager.', 'Install the chart again, or restore the selector.');
    return sound(objectNames.webhookService);
  },
);

/** Addresses that the API server may call. */
const readyAddresses = (slices: readonly object[]): number =>
  slices.flatMap((slice) => objectsAt(slice, 'endpoints')).filter((endpoint) => memberAt(endpoint, 'conditions', 'ready') !== false).length;

const refusesPods = (entry: object): boolean => pathOf(entry) === '/mutate-pod' || pathOf(entry) === '/validate-pod';

const webhookEndpoints = check(
  'webhook-endpoints',
  'A ready Pod answers the webhooks that fail closed.',
  ['endpoints', 'managerPods', 'mutating', 'validating'],
  ({ endpoints, managerPods, ...configurations }) => {
    const entries = ownEntries(configurations);
    if (areOutside(entries)) return skipped('The webhooks are called by URL.');
    const ready = readyAddresses(endpoints);
    if (ready > 0) return sound(`${ready} addresses`);
    const closed = entries.filter(failsClosed);
    if (closed.length === 0) return fault('The Service of the webhooks has no ready address.', 'Find out why the manager is not ready.');
    const blocks = closed.some(refusesPods) ? 'Pods cannot be created or deleted' : 'objects of Kruise cannot be written';
    const pods = managerPods.filter(isReadyEndpoint).length;
    return fault(
      `The Service has no ready address, and ${counted(closed.length, 'webhook has', 'webhooks have')} failurePolicy Fail: ${blocks}.`,
      pods > 0
        ? 'The Pods are ready: look at the selector and ports of the Service.'
        : 'Start the manager; kubectl describe shows why its Pods are not ready.',
    );
  },
);

/** Whether an entry covers the Pods of a namespace with these labels. Conditions on the request may exclude them, so such an entry does not count. */
function coversNamespace(entry: object, labels: Readonly<Record<string, string>>): boolean {
  if (objectsAt(entry, 'matchConditions').length > 0) return false;
  const parsed = labelMatcherOf(memberAt(entry, 'namespaceSelector') ?? {});
  return parsed.kind === 'Matcher' && parsed.matcher.matches(labels);
}

const nameLabel = 'kubernetes.io/metadata.name';

const podWebhookScope = check(
  'pod-webhook-scope',
  'The Pod webhook does not cover the Pods on which it depends.',
  ['mutating', 'validating', 'namespace'],
  (seen, at) => {
    const entries = ownEntries(seen).filter(failsClosed).filter(refusesPods);
    if (entries.length === 0) return skipped('No Pod webhook fails closed.');
    const namespaces = [{ [nameLabel]: at.namespace, ...seen.namespace?.metadata.labels }, { [nameLabel]: 'kube-system' }];
    const covered = namespaces
      .filter((labels) => entries.some((entry) => coversNamespace(entry, labels)))
      .map((labels) => labels[nameLabel] ?? '');
    return covered.length === 0
      ? sound('excluded by name')
      : fault(
          `The Pod webhook covers ${covered.join(' and ')}: while no manager runs, no Pod can start there, including those of the manager.`,
          'Install the chart again, which excludes these namespaces.',
        );
  },
);

const webhookPort = check(
  'webhook-port',
  'The Service uses the port on which the manager listens.',
  ['service', 'managers'],
  ({ service, managers }, at) => {
    const manager = inNamespace(managers, at.namespace);
    if (service === undefined || manager === undefined) return skipped('There is no Service or no Deployment.');
    const [port] = objectsAt(service, 'spec', 'ports');
    const [container] = objectsAt(manager, 'spec', 'template', 'spec', 'containers');
    const listens = objectsAt(container, 'env').find((variable) => variable['name'] === 'WEBHOOK_PORT');
    const listening = stringAt(listens, 'value') ?? '9876';
    const target = memberAt(port, 'targetPort') ?? memberAt(port, 'port');
    const named_ = objectsAt(container, 'ports').find(({ name }) => name === target);
    const called = typeof target === 'string' && named_ !== undefined ? numberAt(named_, 'containerPort') : target;
    return String(called) === listening
      ? sound(listening)
      : fault(`The Service uses port ${String(called)}, but the manager listens on ${listening}.`, 'Install the chart again.');
  },
);

export const webhookChecks: readonly Check[] = [
  configurationsExist,
  webhookEntries,
  webhookService,
  webhookPort,
  webhookEndpoints,
  bundlesAgree,
  bundleIsOfSecret,
  servingCertificate,
  authorityCertificate,
  podWebhookScope,
];
