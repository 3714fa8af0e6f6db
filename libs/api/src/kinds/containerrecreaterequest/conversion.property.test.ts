import { describe } from '@jest/globals';
import { metadataValue, withMetadataValues, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { mapItems, mapMember, withoutEmpty } from '../../members/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { containerRecreateRequestAnnotations } from './names.ts';
import { declaration } from './schema.ts';

const metadata = (object: JsonObject): JsonObject =>
  mapMember(object, 'metadata', (members) => withoutEmpty(members, 'labels', 'annotations'));

const snapshots = ['[{"name":"c","ready":true,"restartCount":1,"containerID":"x://1"}]', '[{"name":"c","ready":false,"restartCount":0}]'];
const times = ['2026-01-02T03:04:05Z', '1999-12-31T23:59:59Z'];
const unreadable = ['', 'x'];

const keys = [containerRecreateRequestAnnotations.syncContainerStatuses, containerRecreateRequestAnnotations.unreadyAcquired];

/** Annotations of an object without a status are moved when they can be read; others stay. */
const readable = (object: JsonObject): JsonObject =>
  keys
    .filter((key) => object['status'] === undefined && !unreadable.includes(metadataValue(object, 'annotations', key) ?? ''))
    .reduce((result, key) => withMetadataValues(result, 'annotations', { [key]: undefined }), object);

describe('conversion of ContainerRecreateRequests', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    alpha: {
      annotations: {
        [containerRecreateRequestAnnotations.syncContainerStatuses]: fc.constantFrom(...snapshots, ...unreadable),
        [containerRecreateRequestAnnotations.unreadyAcquired]: fc.constantFrom(...times, ...unreadable),
      },
    },
    equalAlpha: (object) => metadata(readable(object)),
    equalBeta: (object) =>
      metadata(
        mapMember(object, 'status', (status) =>
          withoutEmpty(
            mapItems(status, 'containerStatusSnapshot', ({ containerID, ...rest }) =>
              containerID === '' || containerID === undefined ? rest : { ...rest, containerID },
            ),
            'conditions',
          ),
        ),
      ),
  });
});
