import { networkInterfaces } from 'node:os'

/** Whether an address to listen on stands for all of this machine. */
export const isEveryInterface = (host: string): boolean => host === '*' || host === '0.0.0.0' || host === '::'

/** Whether nobody but this machine reaches an address to listen on. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** What other machines reach this one by, as its network cards know it now; IPv6 addresses of one link are left out. */
export const addressesOfMachine = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
