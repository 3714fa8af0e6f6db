import { describe, expect, it } from '@jest/globals';
import { ofBroadcastJobs, ofImageLists, ofJobs } from './admission.testing.ts';
import { converter } from './conversion.ts';

describe('conversion of AdvancedCronJobs', () => {
  it('v1alpha1 cannot say that lists of images are pulled', () => {
    expect(converter.fromHub(ofImageLists)).toEqual({ kind: 'Failed', message: 'imageListPullJobTemplate is not supported in v1alpha1' });
  });

  it.each([ofJobs, ofBroadcastJobs, { spec: { template: { imageListPullJobTemplate: null } } }])(
    'all else is the same in both versions',
    (object) => {
      expect(converter.fromHub(object)).toEqual({ kind: 'Converted', object });
      expect(converter.toHub(object)).toEqual({ kind: 'Converted', object });
    },
  );
});
