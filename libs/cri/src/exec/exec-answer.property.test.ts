import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadCriMethods } from '../cri-methods.ts';
import { ExecAnswer } from './exec-answer.ts';
import { MalformedMessage, MessageCodecs } from '../message-codec.ts';

const codec = new MessageCodecs().of('ExecSyncResponse');
const { ExecSync } = loadCriMethods();

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

describe('an answer of ExecSync', () => {
  it('is read as by the codec, in whatever pieces it arrives', () => {
    const output = fc.uint8Array({ maxLength: 300, size: 'max' }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(output, output, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: 1, max: 50 }), (...given) => {
        const [stdout, stderr, exitCode, piece] = given;
        const message = codec.encode({ stdout, stderr, exitCode });
        const bytes = framed(message);
        const answer = new ExecAnswer(1000);
        for (let at = 0; at < bytes.length; at += piece) answer.push(bytes.subarray(at, at + piece));
        expect(answer.result()).toEqual({ ...ExecSync.responseDeserialize(message), isCut: false });
      }),
    );
  });

  it('keeps the first bytes of each output', () => {
    const answer = new ExecAnswer(3);
    answer.push(framed(codec.encode({ stdout: Buffer.from('abcdef'), stderr: Buffer.from('xyz'), exitCode: 1 })));
    expect(answer.result()).toEqual({ stdout: Buffer.from('abc'), stderr: Buffer.from('xyz'), exitCode: 1, isCut: true });
  });

  it('skips unknown fields', () => {
    const answer = new ExecAnswer(10);
    const unknown = Buffer.from([0x20, 0x05, 0x2a, 0x02, 0x61, 0x62, 0x35, 1, 2, 3, 4, 0x39, 1, 2, 3, 4, 5, 6, 7, 8]);
    answer.push(framed(Buffer.concat([unknown, codec.encode({ stdout: Buffer.from('a'), exitCode: 2 })])));
    expect(answer.result()).toMatchObject({ stdout: Buffer.from('a'), exitCode: 2 });
  });

  it.each<[string, readonly number[]]>([
    ['is compressed', [1, 0, 0, 0, 0]],
    ['is too long', [0, 0xff, 0, 0, 0]],
    ['ends in its prefix', [0, 0, 0]],
    ['ends in an output', [0, 0, 0, 0, 4, 0x0a, 5, 0x61]],
    ['has a number without an end', [0, 0, 0, 0, 12, ...Array<number>(12).fill(0xff)]],
    ['has an output longer than itself', [0, 0, 0, 0, 12, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['has an output longer than what is left of itself', [0, 0, 0, 0, 3, 0x0a, 2, 0x61, 0x61]],
    ['has a fixed number longer than what is left of itself', [0, 0, 0, 0, 3, 0x35, 1, 2, 3, 4]],
    ['is shorter than it says', [0, 0, 0, 0, 9, 0x18, 1]],
    ['has a field behind its end', [0, 0, 0, 0, 2, 0x18, 1, 0x18, 1]],
    ['is followed by another', [0, 0, 0, 0, 2, 0x18, 1, 0, 0, 0, 0, 2, 0x18, 1]],
    ['has a wire type that there is not', [0, 0, 0, 0, 1, 0x0b]],
  ])('that %s is refused', (_name, bytes) => {
    const answer = new ExecAnswer(10);
    expect(() => {
      answer.push(Buffer.from(bytes));
      answer.result();
    }).toThrow(MalformedMessage);
  });
});
