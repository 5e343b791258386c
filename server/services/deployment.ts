import type { Config } from '../config.ts'

const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || host === '::1' || host.startsWith('127.')

/** Whether any address that we listen on can be reached from another machine. */
export const isReachableFromNetwork = (config: Config) => config.urls.some(({ host }) => !isLoopback(host))
