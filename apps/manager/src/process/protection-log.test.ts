import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { admissionLimits } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { silentLogger } from '@kruise/kube/testing';
import { openProtectionLog, type ProtectionRecord } from './protection-log.ts';

const entry = (Name: string): ProtectionRecord => ({
  Event: 'DeletionProtection',
  Kind: 'CloneSet',
  Namespace: 'ns',
  Name,
  UserAgent: 'me',
});

describe('the protection log', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'protection-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const linesOf = async (name: string): Promise<readonly string[]> =>
    (await readFile(join(directory, name), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

  it('has a line for each refusal, in their order, also of the process before', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) (await openProtectionLog(directory, silentLogger())).record(entry(name));
    await eventually(async () => (await linesOf('protection.log')).length === 3);
    expect((await linesOf('protection.log')).map((line) => (JSON.parse(line) as ProtectionRecord).Name).toSorted()).toEqual(names);
  });

  it('is rotated before it has more than 16 MiB, and the previous file is kept', async () => {
    await writeFile(join(directory, 'protection.log'), 'old\n');
    await truncate(join(directory, 'protection.log'), admissionLimits.protectionLogBytes.value);
    await writeFile(join(directory, 'protection.log.1'), 'older\n');
    const log = await openProtectionLog(directory, silentLogger());
    log.record(entry('a'));
    log.record(entry('b'));
    await eventually(async () => (await linesOf('protection.log')).length === 2);
    expect(await readdir(directory)).toEqual(['protection.log', 'protection.log.1']);
    expect((await readFile(join(directory, 'protection.log.1'))).subarray(0, 4).toString()).toBe('old\n');
  });

  it('drops lines that arrive faster than it writes, and logs how many', async () => {
    const reported: object[] = [];
    const logger = { ...silentLogger(), error: (fields: object) => void reported.push(fields) };
    const log = await openProtectionLog(directory, logger);
    const most = admissionLimits.protectionLogWaiting.value;
    for (let index = 0; index < most + 7; index++) log.record(entry(`n${index}`));
    await eventually(async () => (await linesOf('protection.log')).length === most);
    expect(reported).toEqual([{ path: join(directory, 'protection.log'), entries: 7 }]);
  });

  it('records nothing, and logs why, when its directory cannot be created', async () => {
    await writeFile(join(directory, 'file'), '');
    const logger = silentLogger();
    const log = await openProtectionLog(join(directory, 'file', 'log'), logger);
    log.record(entry('a'));
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Failed to open the protection log; refused deletions are not recorded'],
    ]);
    expect(await readdir(directory)).toEqual(['file']);
  });

  it('logs an entry that could not be written as lost, and writes the next one', async () => {
    const logger = silentLogger();
    const log = await openProtectionLog(directory, logger);
    await mkdir(join(directory, 'protection.log'));
    log.record(entry('a'));
    await eventually(() => logger.lines.length === 1);
    await rmdir(join(directory, 'protection.log'));
    log.record(entry('b'));
    await eventually(async () => (await linesOf('protection.log')).length === 1);
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'Failed to write an entry of the protection log' }]);
    expect(await linesOf('protection.log')).toEqual([JSON.stringify(entry('b'))]);
  });
});
