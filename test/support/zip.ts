import { crc32, deflateRawSync } from 'node:zlib';

/** The bytes of a zip with these members, by name. */
export function zipOf(members: Readonly<Record<string, string | Buffer>>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const [bytes, fields] = [Buffer.from(name), Buffer.alloc(26)];
    fields.writeUInt16LE(20, 0); // version
    fields.writeUInt16LE(8, 4); // deflate
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(plain.length, 18);
    fields.writeUInt16LE(bytes.length, 22);
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, bytes, packed]);
    const offset = Buffer.alloc(14);
    offset.writeUInt32LE(at, 10);
    central.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), fields, offset, bytes]));
    locals.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...central, end]);
}
