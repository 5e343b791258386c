import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { CurrentUserDto, SignInResponseDto } from '../../../shared/dtos/user.ts'
import { api } from '../../api/http.ts'
import { signChallenge, supportsAutofill, supportsPasskeys } from '../../api/passkeys.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'

/** Interval of new challenges for the menu of the field; one is valid for ten minutes. */
const renewMs = 9 * 60_000

/** Signs a challenge of the server with a passkey that the person chooses. */
async function choose(more?: Parameters<typeof signChallenge>[1]) {
  const { ticket, options } = await api.passkeyVisitor.signInOptions({})
  return { ticket, credential: await signChallenge(options, more) }
}

const signIn = (body: Awaited<ReturnType<typeof choose>>): Promise<SignInResponseDto> =>
  api.passkeyVisitor.signIn({ body })

/** Offers the passkeys of this server in the menu of the address field, while the page is open. */
function useAutofill(
  isOffered: boolean,
  onAnswer: (answer: SignInResponseDto) => void,
  onError: (error: Error) => void,
) {
  const handleAnswer = useEffectEvent(onAnswer)
  const handleError = useEffectEvent(onError)
  useEffect(() => {
    if (!isOffered) {
      return
    }
    let end = new AbortController()
    const offer = async () => {
      end.abort()
      end = new AbortController()
      const { signal } = end
      // Until a passkey is chosen, errors are silent: nobody asked for the menu, and the button reports them.
      const chosen = (await supportsAutofill())
        ? await choose({ mediation: 'conditional', signal }).catch(() => undefined)
        : undefined
      if (chosen) {
        await signIn(chosen).then(handleAnswer, (error: Error) => !signal.aborted && handleError(error))
      }
    }
    void offer()
    const timer = setInterval(() => void offer(), renewMs)
    return () => {
      clearInterval(timer)
      end.abort()
    }
  }, [isOffered])
}

/** Signing in with a passkey: by its button, and by the menu of the address field. */
export function usePasskeySignIn(onSignedIn: (user: CurrentUserDto) => Promise<void>) {
  const { data: ways } = useQuery(signInQueries.ways)
  const site = ways?.passkeys
  const isOffered = supportsPasskeys() && site?.obstacle === null && site.origin === location.origin
  const [isAsking, setIsAsking] = useState(false)
  const [menuError, setMenuError] = useState<Error | null>(null)
  const [refusal, setRefusal] = useState<SignInResponseDto | null>(null)
  const handleAnswer = async (answer: SignInResponseDto) => {
    setMenuError(null)
    setRefusal(answer.user ? null : answer)
    if (answer.user) {
      await onSignedIn(answer.user)
    }
  }
  const button = useMutation({
    // A browser asks for one passkey at a time: the menu is canceled while the dialog is open.
    onMutate: () => setIsAsking(true),
    mutationFn: async () => signIn(await choose()),
    onSuccess: handleAnswer,
    onSettled: () => setIsAsking(false),
  })
  useAutofill(isOffered && !isAsking, (answer) => void handleAnswer(answer), setMenuError)
  return {
    isOffered,
    begin: () => button.mutate(),
    isPending: button.isPending,
    error: button.error ?? menuError,
    refusal,
  }
}
