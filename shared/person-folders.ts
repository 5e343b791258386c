const parents: Readonly<Record<number, string>> = { 1: 'C:\\Users\\', 3: '/Users/' }

/** Usual home folders of people by the platform of their device, in their order. Windows names people with their domain. */
export const homesOf = (platform: number, people: readonly string[]): string[] =>
  people
    .map((name) => name.split('\\').at(-1) ?? '')
    .filter((name) => name !== '' && name !== 'root' && !/[/\\:]|^\.+$/.test(name))
    .map((name) => (parents[platform] ?? '/home/') + name)
