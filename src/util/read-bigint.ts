/** Reads a bigint, or another integer of 8 bytes, that a double can hold. */
export function readBigint(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 4);
}
