import { describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { recordedInstallation } from '@kruise/testing';
import { plainConfigurations, webhookGenerator, webhooks } from './webhooks.ts';

interface Webhook {
  readonly name: string;
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly failurePolicy: string;
  readonly sideEffects: string;
  readonly rules: readonly object[];
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
}

interface Fact extends Omit<Webhook, 'clientConfig'> {
  readonly path: string;
  readonly timeoutSeconds: number | null;
}

interface Facts {
  readonly mutating: { readonly configurationName: string; readonly webhooks: readonly Fact[] };
  readonly validating: { readonly configurationName: string; readonly webhooks: readonly Fact[] };
}

const byName = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
  [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

const configurations = (): readonly { metadata: { name: string }; webhooks: readonly Webhook[] }[] =>
  plainConfigurations() as readonly { metadata: { name: string }; webhooks: readonly Webhook[] }[];

/** What ours are asked about besides, and why. */
const besides: Readonly<Record<string, readonly object[]>> = {
  // Since Kubernetes 1.32 the resources of a Pod are changed there, of which no rule of the original knows. @see spec/manager.md 4.4
  'vpod.kb.io': [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE', 'DELETE'], resources: ['pods', 'pods/resize'] }],
};

/**
 * The kinds whose deletions the original asks about in the webhook that also checks them, whatever their labels; ours have a webhook of their
 * own for it, as the other protected kinds have. @see spec/deletion-protection.md 2
 */
const guarded = ['vcloneset.kb.io', 'vstatefulset.kb.io', 'vuniteddeployment.kb.io'];
const withoutDeletions = (rules: readonly object[]): readonly object[] =>
  rules.map((rule) => ({ ...rule, operations: ['CREATE', 'UPDATE'] }));
const guardOf = (webhook: Webhook): Webhook => ({
  ...webhook,
  name: webhook.name.replace('.kb.io', 'deletion.kb.io'),
  objectSelector: { matchExpressions: [{ key: 'policy.kruise.io/delete-protection', operator: 'Exists' }] },
  rules: webhook.rules.map((rule) => ({ ...rule, operations: ['DELETE'] })),
});

/** A webhook of the recorded facts as a manifest says it: without a timeout the API server's default holds. */
function asWritten({ path, timeoutSeconds, ...fact }: Fact): Webhook {
  expect(timeoutSeconds).toBeNull();
  return {
    ...fact,
    rules: besides[fact.name] ?? (guarded.includes(fact.name) ? withoutDeletions(fact.rules) : fact.rules),
    clientConfig: { service: { namespace: 'kruise-system', name: 'kruise-webhook-service', path } } as Webhook['clientConfig'],
  };
}

describe('the recorded webhooks', () => {
  const facts = recordedInstallation('webhooks') as Facts;

  it.each(['mutating', 'validating'] as const)('are those of the plain manifests: %s', (type) => {
    const ours = configurations().find(({ metadata }) => metadata.name === facts[type].configurationName);
    const theirs = facts[type].webhooks.map(asWritten);
    expect(byName(ours?.webhooks ?? [])).toEqual(byName([...theirs, ...theirs.filter(({ name }) => guarded.includes(name)).map(guardOf)]));
  });
});

describe('the webhooks', () => {
  it('have names of their own', () => {
    const names = webhooks.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('guard deletion only of protected objects', () => {
    const guards = webhooks.filter(({ operations, audience }) => operations.includes('DELETE') && audience !== 'pods');
    expect(guards).toHaveLength(10);
    expect(guards.every(({ operations, objectLabel }) => operations.join() === 'DELETE' && objectLabel === labels.deleteProtection)).toBe(
      true,
    );
  });

  // As the original, whose webhooks of these kinds also guard deletions. @see spec/deletion-protection.md 2
  it('guard objects of our own kinds in the chart in every namespace, also while no manager answers', () => {
    const list = webhookGenerator.files().find(({ path }) => path.endsWith('/_validating.tpl'))?.content ?? '';
    const entryOf = (name: string): string => list.split(/^(?=- name: )/m).find((entry) => entry.startsWith(`- name: ${name}\n`)) ?? '';
    for (const { name } of webhooks.filter(({ objectLabel, group }) => objectLabel !== undefined && group === 'apps.kruise.io')) {
      expect(entryOf(name)).toContain('failurePolicy: Fail\n');
      expect(entryOf(name)).toContain('kruise.webhookNamespaces.kinds');
    }
    expect(entryOf('vservice.kb.io')).toContain('failurePolicy: Ignore\n');
  });
});
