import { beforeEach, describe, expect, it } from '@jest/globals';
import { imagePullJobAnnotations, secretCopyName } from '@kruise/api';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { agentLimits, secrets, type Secret } from '@kruise/objects';
import { PullSecrets } from './pull-secrets.ts';

const namespace = 'config';
let api: FakeApi;
let logger: ReturnType<typeof silentLogger>;
let pullSecrets: PullSecrets;
beforeEach(() => {
  [api, logger] = [new FakeApi(), silentLogger()];
  pullSecrets = new PullSecrets({ client: api, clock: new FakeClock(), logger, random: () => 0 });
});

const seed = (name: string, source?: string): { readonly namespace: string; readonly name: string } => {
  const annotations = source === undefined ? {} : { annotations: { [imagePullJobAnnotations.pullSecretSourceKey]: source } };
  api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, ...annotations }, data: { x: 'A' } });
  return { namespace, name };
};
/** As the manager creates it. */
const seedCopy = (of: string, name: string) => seed(secretCopyName({ namespace: of, name }, 0), `${of}/${name}`);
const nameOf = ({ metadata }: Secret): string => metadata.name;
const read = (references: readonly { namespace: string; name: string }[], ...tenants: readonly string[]) =>
  pullSecrets.read(references, tenants, nameOf);
let seen = 0;
beforeEach(() => {
  seen = 0;
});
/** Returns the names of the Secrets that were read since the last call, with a mark where only the metadata was read. */
const reads = (): readonly string[] => {
  const calls = api.calls.slice(seen);
  seen = api.calls.length;
  return calls.map(({ key, part }) => `${key.name}${part === undefined ? '' : ' metadata'}`);
};

describe('pull secrets', () => {
  it('of the namespaces of the jobs are read completely, and only the metadata of others, once', async () => {
    const [own, other] = [seedCopy('a', 'pull'), seedCopy('b', 'pull')];
    expect(await read([other, own], 'a')).toEqual([own.name]);
    expect(reads().toSorted()).toEqual([own.name, `${other.name} metadata`].toSorted());
    expect(await read([other, own], 'a')).toEqual([own.name]);
    expect(reads()).toEqual([]);
  });

  it('that are no copies, or copies under another name, are read once their metadata says that they serve the tag', async () => {
    const [original, renamed, foreign] = [seed('original'), seed('renamed', 'a/pull'), seed('foreign', 'b/pull')];
    expect(await read([original, renamed, foreign], 'a')).toEqual(['original', 'renamed']);
    expect(reads()).toEqual(['original metadata', 'renamed metadata', 'foreign metadata', 'original', 'renamed']);
  });

  it('of another namespace with a name like one of its own are not used, and not read again', async () => {
    const lookalike = seed(secretCopyName({ namespace: 'a', name: 'x' }, 0), 'b/x');
    expect(await read([lookalike], 'a')).toEqual([]);
    expect(reads()).toEqual([lookalike.name]);
    pullSecrets.forgetOlder([lookalike], new FakeClock().monotonic());
    expect(await read([lookalike], 'a')).toEqual([]);
    expect(reads()).toEqual([]);
  });

  it('of other namespaces, however many, do not keep its own from being read', async () => {
    const others = Array.from({ length: 1000 }, (_, index) => seedCopy('b', `s${index}`));
    const own = seedCopy('a', 'pull');
    expect(await read([...others, own], 'a')).toEqual([own.name]);
    expect(reads().filter((name) => !name.endsWith(' metadata'))).toEqual([own.name]);
  });

  it('are at most 128 for a tag, which is logged', async () => {
    const own = Array.from({ length: agentLimits.secretsOfPull.value + 2 }, (_, index) => seedCopy('a', `s${index}`));
    expect(await read(own, 'a')).toHaveLength(128);
    expect(reads()).toHaveLength(128);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { secrets: 2 } }]);
  });

  it('are in the order in which they are named, without missing ones', async () => {
    const [first, last] = [seed('b'), seed('a')];
    expect(await read([first, { namespace, name: 'missing' }, last])).toEqual(['b', 'a']);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { secret: 'config/missing' } }]);
  });

  it('that could not be read are read again when a pull failed without them', async () => {
    const missing = { namespace, name: 'late' };
    expect(await read([missing])).toEqual([]);
    seed('late');
    expect(await read([missing])).toEqual([]);
    pullSecrets.forgetUnreadable([missing]);
    expect(await read([missing])).toEqual(['late']);
  });

  it('are removed with the spec', async () => {
    const own = seedCopy('a', 'pull');
    await read([own], 'a');
    pullSecrets.retain([own]);
    await read([own], 'a');
    expect(reads()).toHaveLength(1);
    pullSecrets.retain([]);
    await read([own], 'a');
    expect(reads()).toHaveLength(1);
  });
});
