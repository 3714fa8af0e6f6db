import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { validatePodTemplate } from '../pod-template.ts';

const faultsOf = (source: JsonObject): readonly string[] => {
  const sources = [{ clusterTrustBundle: { path: 'ca.pem', ...source } }];
  const spec = { containers: [{ name: 'a', image: 'b' }], volumes: [{ name: 'v', projected: { sources } }] };
  const options = { allowPrivileged: true, hostNetworkHostPorts: false, claimVolumes: [] };
  return validatePodTemplate({ spec }, '', options).map((fault) =>
    formatFieldError(fault).replace('spec.volumes[0].projected.sources[0].clusterTrustBundle', 'bundle'),
  );
};

describe('a projected trust bundle', () => {
  it.each<{ name: string; source: JsonObject }>([
    { name: 'a name', source: { name: 'my-bundle' } },
    { name: 'the name of the bundle of a signer', source: { name: 'example.com:signer:my-bundle' } },
    { name: 'a signer', source: { signerName: 'example.com/signer' } },
    { name: 'a signer and a selector', source: { signerName: 'example.com/signer', labelSelector: { matchLabels: { a: 'b' } } } },
    { name: 'a signer whose path has several parts', source: { signerName: 'example.com/my.signer' } },
  ])('may have $name', ({ source }) => {
    expect(faultsOf(source)).toEqual([]);
  });

  it.each<{ name: string; source: JsonObject; faults: readonly string[] }>([
    { name: 'neither name nor signer', source: {}, faults: ['bundle: Required value: either name or signerName must be specified'] },
    { name: 'an empty name', source: { name: '' }, faults: ['bundle.name: Required value: must be a valid object name'] },
    { name: 'an empty signer', source: { signerName: '' }, faults: ['bundle.signerName: Required value: must be a valid signer name'] },
    {
      name: 'a selector beside its name',
      source: { name: 'my-bundle', labelSelector: {} },
      faults: ['bundle.labelSelector: Invalid value: {}: labelSelector must be unset if name is specified'],
    },
    {
      name: 'a signer without a path',
      source: { signerName: 'example.com' },
      faults: [
        'bundle.signerName: Invalid value: "example.com": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    },
    {
      name: 'a signer with two paths',
      source: { signerName: 'example.com/a/b' },
      faults: [
        'bundle.signerName: Invalid value: "example.com/a/b": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    },
    {
      name: 'a signer whose domain has one segment',
      source: { signerName: 'example/signer' },
      faults: ['bundle.signerName: Invalid value: "example/signer": should be a domain with at least two segments separated by dots'],
    },
  ])('is refused with $name', ({ source, faults }) => {
    expect(faultsOf(source)).toEqual(faults);
  });

  it('has a signer of at most 571 characters, 253 of them the domain', () => {
    const long = 'must be no more than 571 characters, 253 of them the domain';
    const text = (length: number): string =>
      Array.from({ length: Math.ceil((length + 1) / 4) }, () => 'abc')
        .join('.')
        .slice(0, length);
    expect(faultsOf({ signerName: `${text(253)}/signer` })).toEqual([]);
    expect(faultsOf({ signerName: `${text(255)}/signer` })).toEqual([expect.stringContaining(long)]);
  });

  it('reports the last part of a name that is no name of an object', () => {
    expect(faultsOf({ name: 'example.com:signer:My' })).toEqual([
      expect.stringMatching(
        /^bundle\.name: Invalid value: "example\.com:signer:My": not a valid clustertrustbundlename: a lowercase RFC 1123 subdomain/,
      ),
    ]);
  });

  it('has either a name or a signer', () => {
    expect(faultsOf({ name: 'my-bundle', signerName: 'example.com/signer' })).toEqual([
      expect.stringMatching(/^bundle: Invalid value: .*: only one of name and signerName may be used$/s),
    ]);
  });
});
