import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'

export const testEmail = defineRoutes('TestEmail', {
  send: {
    method: 'POST',
    path: '/api/v1/test-email',
    summary: 'Send a test message to the address of the caller',
    access: { permission: 'server.settings.write', on: 'server' },
    tenant: 'none',
    response: z.void(),
  },
})
