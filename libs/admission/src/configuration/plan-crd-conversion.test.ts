import { describe, expect, it } from '@jest/globals';
import { checkCrdConversion, planCrdConversion, type CustomResourceDefinition } from './plan-crd-conversion.ts';

const crd = (conversion: CustomResourceDefinition['spec']['conversion']): CustomResourceDefinition => ({
  metadata: { name: 'clonesets.apps.kruise.io' },
  spec: { group: 'apps.kruise.io', names: { kind: 'CloneSet', plural: 'clonesets' }, ...(conversion === undefined ? {} : { conversion }) },
});
const target = { kind: 'Service', namespace: 'ns', name: 'svc' } as const;
const ours = (_group: string, kind: string): boolean => kind === 'CloneSet';

describe('CRD conversion', () => {
  it('points strategy Webhook at our service, once', () => {
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

  it('uses a URL outside of the cluster', () => {
    const update = planCrdConversion(crd({ strategy: 'Webhook' }), { kind: 'Url', host: 'h', port: 1 }, { caBundle: 'Q0E=' }, ours);
    expect(update?.spec.conversion?.webhook?.clientConfig).toEqual({ caBundle: 'Q0E=', url: 'https://h:1/convert' });
  });

  it('touches neither strategy None, nor a CRD without conversion, nor a foreign kind', () => {
    expect(planCrdConversion(crd({ strategy: 'None' }), target, { caBundle: 'Q0E=' }, ours)).toBeUndefined();
    expect(planCrdConversion(crd(undefined), target, { caBundle: 'Q0E=' }, ours)).toBeUndefined();
    expect(planCrdConversion(crd({ strategy: 'Webhook' }), target, { caBundle: 'Q0E=' }, () => false)).toBeUndefined();
  });

  it('names the CRD whose bundle is not that of the outside authority', () => {
    expect(checkCrdConversion(crd({ strategy: 'Webhook' }), 'Q0E=', ours)).toBe(
      'caBundle of CRD clonesets.apps.kruise.io does not match the external caBundle',
    );
    expect(checkCrdConversion(crd({ strategy: 'None' }), 'Q0E=', ours)).toBeUndefined();
  });
});
