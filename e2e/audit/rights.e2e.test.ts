/** Rights against use: what all tests before have made the programs ask of the API server. */
import { describe, expect, it } from '@jest/globals';
import { askedFor, auditEvents, granted, type Right } from '../support/rights.ts';

/** Reading is one right: which way of it is used depends on the API server (a list, or a watch that begins with one). */
const reading: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const asOne = (right: Right): Right => {
  const [verb = '', resource = ''] = right.split(' ');
  return reading.has(verb) ? `read ${resource}` : right;
};

/** Rights that are needed, though not in every run of these tests. */
const rare: readonly { readonly rights: RegExp; readonly because: string }[] = [
  { rights: /^kruise-manager: update \w+\/finalizers\./, because: 'only clusters that enforce permissions on owner references ask for it' },
  { rights: /^kruise-manager: read \*\.\*$/, because: 'a value of the chart gives it: installation.roleListGroups' },
  {
    rights: /^kruise-manager: patch (clonesets|daemonsets|sidecarsets|statefulsets|uniteddeployments)\/status\./,
    because: 'counts names of revisions that others have taken',
  },
  { rights: /^kruise-manager: patch nodeimages\/status\./, because: 'removes the results of tasks that are gone' },
  { rights: /^kruise-manager: (delete nodepodprobes|delete nodeimages)\./, because: 'a node has left the cluster' },
  { rights: /^kruise-manager: delete imagelistpulljobs\./, because: 'the time to live of a job is over' },
  { rights: /^kruise-manager: delete configmaps$/, because: 'a barrier of an earlier Pod of the name is in the way' },
  { rights: /^kruise-manager: read \*\/scale\.\*$/, because: 'the scale of a workload of any kind says how many Pods it wants' },
  { rights: /^kruise-manager: read uniteddeployments\/scale\./, because: 'a budget or spread may be for a UnitedDeployment' },
  { rights: /^kruise-manager: read replicationcontrollers$/, because: 'a Pod under a budget belongs to one' },
  {
    rights: /^kruise-manager: (create|delete|patch) (deployments\.apps|(cloneset|statefulset)s\.apps(\.kruise\.io)?)$/,
    because: 'the children of UnitedDeployments are of four kinds, not each of which is changed in each way',
  },
  { rights: /^kruise-helm-hook: /, because: 'its account comes and goes with an uninstall' },
];

describe('the programs at the API server', () => {
  it('are refused nothing that they were not granted', async () => {
    // An uninstall takes the roles away while the manager still runs: what is granted does not count.
    const rights = await granted();
    const refused = auditEvents().filter(
      (event) =>
        event.responseStatus?.code === 403 &&
        event.annotations?.['authorization.k8s.io/decision'] === 'forbid' &&
        [...askedFor([event])].some(([account, asked]) => [...asked].some((right) => rights.get(account)?.has(right) !== true)),
    );
    expect([...new Set(refused.map(({ user, verb, requestURI }) => `${user.username}: ${verb} ${requestURI}`))]).toEqual([]);
  });

  it('use what they are granted', async () => {
    const asked = askedFor(auditEvents());
    const unused = [...(await granted())].flatMap(([account, rights]) => {
      const used = new Set([...(asked.get(account) ?? [])].map(asOne));
      return [...new Set([...rights].map(asOne))].filter((right) => !used.has(right)).map((right) => `${account}: ${right}`);
    });
    expect(unused.filter((right) => !rare.some(({ rights }) => rights.test(right))).toSorted()).toEqual([]);
  });
});
