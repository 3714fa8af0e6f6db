/** A kind of workload that only a white list names. */
import { persistentPodStateWhiteListKey } from '@kruise/api';
import type { KubeObject, ResourceType } from '@kruise/objects';

export const gameSets: ResourceType = { group: 'game.example.com', version: 'v1', kind: 'GameSet', plural: 'gamesets', namespaced: true };

export const gameCrd = {
  metadata: { name: 'gamesets.game.example.com' },
  spec: {
    group: 'game.example.com',
    names: { kind: 'GameSet', plural: 'gamesets', singular: 'gameset', listKind: 'GameSetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
        },
      },
    ],
  },
} as KubeObject;

/** The data of the ConfigMap that makes PersistentPodStates serve it. */
export const gameWhiteList = {
  [persistentPodStateWhiteListKey]: JSON.stringify({
    workloads: [{ Group: gameSets.group, Version: gameSets.version, Kind: gameSets.kind }],
  }),
};
