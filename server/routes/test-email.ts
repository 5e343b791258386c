import { testEmail } from '../../shared/api/test-email.ts'
import { sendTestMail } from '../services/people/account-mail.ts'
import { implement } from './implement.ts'

export const testEmailRoutes = implement(testEmail, {
  send: (call) => sendTestMail(call),
})
