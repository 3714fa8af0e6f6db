import { describe, expect, it } from '@jest/globals';
import { checkCrdConversion, planCrdConversion, type CustomResourceDefinition } from './plan-crd-conversion.ts';

const crd = (conversion: CustomResourceDefinition['spec']['conversion']): CustomResourceDefinition => ({
  metadata: { name: 'clonesets.apps.kruise.io' },
  spec: { group: 'apps.kruise.io', names: { kind: 'CloneSet', plural: 'clonesets' }, ...(conversion === undefined ? {} : { conversion }) },
});
const target = { kind: 'Service', namespace: 'ns', name: 'svc' } as const;
const ours = (_group: string, kind: string): boolean => kind === 'CloneSet';

describe('CRD conversion', () => {
  it('points strategy Webhook at our Service, once', () => {
    const update = planCrdConversion(crd({ strategy: 'Webhook' }), target, { caBundle: 'Q0E=' }, ours);
    expect(update?.spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { caBundle: 'Q0E=', service: { namespace: 'ns', name: 'svc', port: 443, path: '/convert' } },
        conversionReviewVersions: ['v1', 'v1beta1'],
      },
    });
    expect(planCrdConversion(update as CustomResourceDefinition, target, { caBundle: 'Q0E=' }, ours)).toBeUndefined();
    expect(planCrdConversion(update as CustomResourceDefinition, target, { caBundle: 'TkVX' }, ours)).toBeDefined();
  });

  it.each<{ name: string; change: object }>([
    { name: 'the client is not configured', change: { clientConfig: undefined } },
    { name: 'the bundle is missing', change: { clientConfig: { service: { ...target, port: 443, path: '/convert' } } } },
    { name: 'the versions are not ours', change: { conversionReviewVersions: ['v1'] } },
    { name: 'there are no versions', change: { conversionReviewVersions: undefined } },
  ])('is restored when $name', ({ change }) => {
    const right = planCrdConversion(crd({ strategy: 'Webhook' }), target, { caBundle: 'Q0E=' }, ours) as CustomResourceDefinition;
    const webhook = JSON.parse(JSON.stringify({ ...right.spec.conversion?.webhook, ...change })) as object;
    expect(planCrdConversion(crd({ strategy: 'Webhook', webhook }), target, { caBundle: 'Q0E=' }, ours)).toEqual(right);
  });

  it('keeps a bundle with a retiring authority where it is', () => {
    const both = planCrdConversion(crd({ strategy: 'Webhook' }), target, { caBundle: 'Qk9USA==' }, ours) as CustomResourceDefinition;
    const plan = (toleratedBundle: string): unknown => planCrdConversion(both, target, { caBundle: 'Q0E=', toleratedBundle }, ours);
    expect(plan('Qk9USA==')).toBeUndefined();
    expect(plan('T0xE')).toEqual(planCrdConversion(crd({ strategy: 'Webhook' }), target, { caBundle: 'Q0E=' }, ours));
  });

  it('uses a URL outside the cluster', () => {
    const update = planCrdConversion(crd({ strategy: 'Webhook' }), { kind: 'Url', host: 'h', port: 1 }, { caBundle: 'Q0E=' }, ours);
    expect(update?.spec.conversion?.webhook?.clientConfig).toEqual({ caBundle: 'Q0E=', url: 'https://h:1/convert' });
  });

  it('changes neither strategy None, nor a CRD without conversion, nor a foreign kind', () => {
    expect(planCrdConversion(crd({ strategy: 'None' }), target, { caBundle: 'Q0E=' }, ours)).toBeUndefined();
    expect(planCrdConversion(crd(undefined), target, { caBundle: 'Q0E=' }, ours)).toBeUndefined();
    expect(planCrdConversion(crd({ strategy: 'Webhook' }), target, { caBundle: 'Q0E=' }, () => false)).toBeUndefined();
  });

  it('names the CRD whose bundle is not that of the outside authority', () => {
    const check = (webhook: object): unknown => checkCrdConversion(crd({ strategy: 'Webhook', ...webhook }), 'Q0E=', ours);
    const fault = 'caBundle of CRD clonesets.apps.kruise.io does not match the external caBundle';
    expect(check({})).toBe(fault);
    expect(check({ webhook: {} })).toBe(fault);
    expect(check({ webhook: { clientConfig: { caBundle: 'T0xE' } } })).toBe(fault);
    expect(check({ webhook: { clientConfig: { caBundle: 'Q0E=' } } })).toBeUndefined();
    expect(checkCrdConversion(crd({ strategy: 'None' }), 'Q0E=', ours)).toBeUndefined();
  });
});
