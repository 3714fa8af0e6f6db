/** Runs that name the source in different versions are one move. */
import { expect, it } from '@jest/globals';
import { AdoptCluster, identities } from './controllers.testing.ts';

it.each(['CloneSet', 'AdvancedStatefulSet', 'AdvancedDaemonSet'] as const)(
  'a %s that the first run names in v1alpha1 and the second one in v1beta1 is read and written in one version',
  async (from) => {
    const plural = { CloneSet: 'clonesets', AdvancedStatefulSet: 'statefulsets', AdvancedDaemonSet: 'daemonsets' }[from];
    const line = (version: string): string => `adopt ${plural}.${version}.apps.kruise.io/web --yes`;
    const cluster = new AdoptCluster(from, 1);
    const before = identities(cluster);
    const connection = cluster.api.connect('plugin');
    const versions = new Set<string>();
    let creations = 0;
    connection.faults.before = ({ verb, type }) => {
      if (type?.group === 'apps.kruise.io') versions.add(type.version);
      // The source is deleted, and the target does not exist yet.
      if (cluster.workload(from)?.metadata.deletionTimestamp !== undefined && verb === 'create' && ++creations === 1)
        throw new Error('killed');
    };
    await cluster.run(line('v1alpha1'), { connection }).catch(() => undefined);
    expect(cluster.workload(from)?.metadata.deletionTimestamp).toBeDefined();
    expect(await cluster.run(line('v1beta1'), { connection })).toMatchObject({ code: 0 });
    expect(versions).toEqual(new Set(['v1beta1']));
    expect(cluster.harm).toEqual([]);
    expect(identities(cluster)).toEqual(before);
    expect(cluster.text()).not.toContain('kubectl-kruise');
  },
);
