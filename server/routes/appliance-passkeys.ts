import { appliancePasskeys } from '../../shared/api/appliance-passkeys.ts'
import { presentPasskey } from '../presenters/passkey.ts'
import { presentSignInOutcome } from '../presenters/user.ts'
import {
  addPasskey,
  beginAddition,
  beginPasskeySignIn,
  listPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from '../services/people/passkeys.ts'
import { startSession } from '../services/people/sign-in.ts'
import { describeSite } from '../services/people/webauthn.ts'
import { implement, signedInPerson } from './implement.ts'

export const appliancePasskeyRoutes = implement(appliancePasskeys, {
  list: async (call) => ({
    items: (await listPasskeys(signedInPerson(call))).map(presentPasskey),
    site: describeSite(call.siteOrigin()),
  }),
  additionOptions: async (call) => beginAddition(signedInPerson(call)),
  add: async (call, { body }) => presentPasskey(await addPasskey(signedInPerson(call), body)),
  rename: async (call, { params: { passkeyId }, body: { name } }) =>
    renamePasskey(signedInPerson(call), passkeyId, name),
  remove: async (call, { params: { passkeyId } }) => removePasskey(signedInPerson(call), passkeyId),
  signInOptions: (call) => beginPasskeySignIn(call),
  signIn: async (call, { body }) => {
    const signIn = await signInWithPasskey(call, body)
    if (signIn.user) {
      await startSession(call, signIn.user, { isPersistent: call.app.config.appOptions.persistPasskeyLogin })
    }
    return presentSignInOutcome(signIn)
  },
})
