/**
 * Builds the missing `bcryptprimitives.dll` of Wine 8, of which the picture library uses a single function.
 * `advapi32.dll` has this function under an older name, so a library that only forwards the export is a kilobyte of
 * tables.
 */

const sectionAddress = 0x1000
const sectionBytes = 0x200

/** Section with an export directory of a single entry, which forwards to a function of another library. */
function exportsOf(library: string, name: string, target: string): Buffer {
  const section = Buffer.alloc(sectionBytes)
  const [addresses, names, ordinals] = [0x28, 0x2c, 0x30]
  const texts = { library: 0x40, name: 0x80, target: 0xc0 }
  const at = (offset: number) => sectionAddress + offset
  section.writeUInt32LE(at(texts.library), 12)
  // Ordinal base, and number of functions and names.
  section.writeUInt32LE(1, 16)
  section.writeUInt32LE(1, 20)
  section.writeUInt32LE(1, 24)
  section.writeUInt32LE(at(addresses), 28)
  section.writeUInt32LE(at(names), 32)
  section.writeUInt32LE(at(ordinals), 36)
  section.writeUInt32LE(at(texts.target), addresses)
  section.writeUInt32LE(at(texts.name), names)
  section.write(library, texts.library)
  section.write(name, texts.name)
  section.write(target, texts.target)
  return section
}

/** Headers of an x64 library with a single section and no code. */
function headers(): Buffer {
  const header = Buffer.alloc(sectionBytes)
  header.write('MZ')
  header.writeUInt32LE(0x40, 0x3c)
  header.write('PE\0\0', 0x40)
  const file = 0x44
  header.writeUInt16LE(0x8664, file)
  header.writeUInt16LE(1, file + 2)
  header.writeUInt16LE(240, file + 16)
  header.writeUInt16LE(0x2022, file + 18)
  const optional = file + 20
  header.writeUInt16LE(0x20b, optional)
  header.writeUInt32LE(sectionBytes, optional + 8)
  header.writeBigUInt64LE(0x1_8000_0000n, optional + 24)
  header.writeUInt32LE(sectionAddress, optional + 32)
  header.writeUInt32LE(sectionBytes, optional + 36)
  header.writeUInt16LE(6, optional + 40)
  header.writeUInt16LE(6, optional + 48)
  header.writeUInt32LE(2 * sectionAddress, optional + 56)
  header.writeUInt32LE(sectionBytes, optional + 60)
  header.writeUInt16LE(2, optional + 68)
  header.writeUInt16LE(0x100, optional + 70)
  header.writeUInt32LE(16, optional + 108)
  header.writeUInt32LE(sectionAddress, optional + 112)
  header.writeUInt32LE(sectionBytes, optional + 116)
  const section = optional + 240
  header.write('.edata', section)
  header.writeUInt32LE(sectionBytes, section + 8)
  header.writeUInt32LE(sectionAddress, section + 12)
  header.writeUInt32LE(sectionBytes, section + 16)
  header.writeUInt32LE(sectionBytes, section + 20)
  header.writeUInt32LE(0x4000_0040, section + 36)
  return header
}

/** File of a library whose function `name` forwards to `target`, such as `advapi32.SystemFunction036`. */
export const forwardingLibrary = (library: string, name: string, target: string): Buffer =>
  Buffer.concat([headers(), exportsOf(library, name, target)])
