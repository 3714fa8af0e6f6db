/** `npm run cluster -- up|down|status|logs`: the local cluster from the command line. The work is in libs/testing/src/cluster. */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type Cluster,
  clusterApi,
  clusterComponents,
  clusterFolder,
  createProgress,
  isClusterRunning,
  nodeStates,
  readCluster,
  startCluster,
  stopCluster,
} from '@kruise/testing';
import { type Command, parseCommand, usage } from './arguments.ts';
import { howToUse, statusReport } from './report.ts';

const progress = createProgress((line) => console.error(line));

async function reportStatus(dir: string, cluster: Cluster | undefined): Promise<void> {
  console.log(statusReport(clusterComponents(dir), cluster === undefined ? undefined : await nodesOf(cluster)));
}

async function nodesOf(cluster: Cluster): Promise<readonly { readonly name: string; readonly ready: boolean }[] | undefined> {
  const api = clusterApi(cluster);
  try {
    return await nodeStates(api);
  } catch {
    return undefined; // status says so
  } finally {
    api.close();
  }
}

async function up(command: Extract<Command, { kind: 'Up' }>): Promise<number> {
  process.once('SIGINT', () => {
    console.error('\nInterrupted. What has been started is removed by `npm run cluster -- down`, or by the next `up`.');
    process.exit(130);
  });
  const { cluster, alreadyRunning } = await startCluster({ ...command, progress });
  if (alreadyRunning) {
    console.log(`The cluster ${cluster.name} runs already.\n`);
    await reportStatus(cluster.dir, cluster);
    console.log('');
  } else progress.note(`the cluster ${cluster.name} is up`);
  if (alreadyRunning && (cluster.nodes !== command.nodes || cluster.simulatedNodes !== command.simulatedNodes)) {
    console.error(`It has ${cluster.nodes} real and ${cluster.simulatedNodes} simulated nodes; for another shape stop it first.`);
  }
  console.log(howToUse(cluster, clusterFolder({ name: cluster.name }).dir));
  return 0;
}

async function down(command: Extract<Command, { kind: 'Down' | 'Status' }>): Promise<number> {
  const stopped = await stopCluster({ ...command, progress });
  progress.note(stopped ? 'the cluster is stopped, nothing is left of it' : 'there is no cluster to stop');
  return 0;
}

/** @returns 3 when it does not run, as service managers do */
async function status(command: Extract<Command, { kind: 'Down' | 'Status' }>): Promise<number> {
  const { name, dir } = clusterFolder(command);
  const cluster = readCluster(dir);
  if (!existsSync(dir)) {
    console.log(`There is no cluster ${name} (${dir}).`);
    return 3;
  }
  await reportStatus(dir, cluster);
  if (isClusterRunning(dir) && cluster !== undefined) {
    console.log(`\n${howToUse(cluster, clusterFolder({ name: cluster.name }).dir)}`);
    return 0;
  }
  console.log('\nIt is not complete: start it again with `up`, or remove it with `down`.');
  return 3;
}

async function logs(command: Extract<Command, { kind: 'Logs' }>): Promise<number> {
  const { name, dir } = clusterFolder(command);
  const folder = join(dir, 'log');
  const names = existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.log$/, '')) : [];
  if (names.length === 0) {
    console.error(`There is no cluster ${name} (${dir}).`);
    return 3;
  }
  if (command.component === undefined) {
    for (const component of names)
      console.log(`${component}  ${statSync(join(folder, `${component}.log`)).size} bytes  ${join(folder, `${component}.log`)}`);
    return 0;
  }
  if (!names.includes(command.component)) {
    console.error(`no component ${JSON.stringify(command.component)}: must be one of ${names.join(', ')}`);
    return 2;
  }
  await pipeline(createReadStream(join(folder, `${command.component}.log`)), process.stdout, { end: false });
  return 0;
}

async function run(command: Command): Promise<number> {
  switch (command.kind) {
    case 'Help':
      console.log(usage);
      return 0;
    case 'Wrong':
      console.error(`${command.message}\n\n${usage}`);
      return 2;
    case 'Up':
      return up(command);
    case 'Down':
      return down(command);
    case 'Status':
      return status(command);
    case 'Logs':
      return logs(command);
  }
}

try {
  process.exitCode = await run(parseCommand(process.argv.slice(2)));
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
