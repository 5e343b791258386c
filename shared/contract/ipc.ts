import type { z } from 'zod'

/** A desktop channel between the window and the shell: a request and a response, both checked. */
export interface ChannelDefinition {
  request: z.ZodType
  response: z.ZodType
}

export const defineChannels = <const C extends Record<string, ChannelDefinition>>(channels: C): C => channels

/** Functions that the preload script exposes to the page. */
export type ChannelClient<C extends Record<string, ChannelDefinition>> = {
  [K in keyof C]: (request: z.input<C[K]['request']>) => Promise<z.output<C[K]['response']>>
}

/** Functions that the shell implements. */
export type ChannelHandlers<C extends Record<string, ChannelDefinition>> = {
  [K in keyof C]: (request: z.output<C[K]['request']>) => z.input<C[K]['response']> | Promise<z.input<C[K]['response']>>
}
