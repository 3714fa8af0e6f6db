/**
 * A runtime in a process of its own, for `exec-memory.int.test.ts`. The first word of the command defines what containers print. It listens at the
 * socket of its first argument, and prints a line when it does.
 *
 *   `flood N`  16 MiB, the maximum that a runtime sends; it waits until N commands run, so that all answers arrive together
 *   `endless`  answer after answer, until the caller disconnects
 *   `running`  nothing; the exit code is the number of other running commands
 */
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { MessageCodecs } from '../message-codec.ts';

const codecs = new MessageCodecs();
const [requests, answers] = [codecs.of('ExecSyncRequest'), codecs.of('ExecSyncResponse')];
const longestAnswer = 16 * 1024 * 1024;
const roomForLengths = 16;
/** Read as part of the previous answer, its fields have no meaning and no end. */
const zeros = Buffer.alloc(1024 * 1024);
const flood = answers.encode({ stdout: Buffer.alloc(longestAnswer - roomForLengths, 'o'), stderr: Buffer.alloc(0), exitCode: 0 });

type Call = ServerWritableStream<{ readonly cmd: readonly string[] }, Buffer>;

const running = new Set<Call>();
let floods: Call[] = [];

function answer(call: Call, bytes: Buffer): void {
  call.write(bytes);
  call.end();
}

function printTogether(call: Call, count: number): void {
  floods.push(call);
  if (floods.length < count) return;
  for (const one of floods) answer(one, flood);
  floods = [];
}

function printForEver(call: Call): void {
  const more = (): void => {
    while (running.has(call) && call.write(zeros));
  };
  call.on('drain', more);
  more();
}

function execSync(call: Call): void {
  const [what, count] = call.request.cmd;
  if (what === 'running') return answer(call, answers.encode({ exitCode: running.size }));
  running.add(call);
  for (const end of ['cancelled', 'finish'] as const) call.on(end, () => running.delete(call));
  if (what === 'endless') printForEver(call);
  else printTogether(call, Number(count));
}

const server = new Server({ 'grpc.max_send_message_length': 2 * longestAnswer });
server.addService(
  {
    ExecSync: {
      path: '/runtime.v1.RuntimeService/ExecSync',
      requestStream: false,
      // Endless answers, which the interface does not define, are sent as a stream.
      responseStream: true,
      requestDeserialize: (bytes: Buffer) => requests.decode(bytes),
      requestSerialize: (request: object) => requests.encode(request),
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    },
  },
  { ExecSync: execSync },
);
server.bindAsync(`unix:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  process.stdout.write('listening\n');
});
