import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearchParams } from 'react-router'
import { sessionQueries } from '../../api/session-queries.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { localPath } from '../../api/local-path.ts'
import { queryClient } from '../../api/query-client.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { SignInSteps } from '../../features/sign-in/sign-in-steps.tsx'

export function Component() {
  usePageTitle(t.signIn.title)
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const returnUrl = search.get('returnUrl')
  const handleSignedIn = async () => {
    await queryClient.resetQueries({ queryKey: sessionQueries.session.queryKey })
    await navigate(localPath(returnUrl), { replace: true })
  }
  const organization = useQuery(signInQueries.registration).data?.organizationName ?? null
  const intro = [
    ...(organization === null ? [] : [t.signIn.organization(visibleName(organization))]),
    ...(returnUrl === null ? [] : [t.signIn.toOpen]),
  ].join(' ')
  return <SignInSteps onSignedIn={handleSignedIn} {...(intro !== '' && { intro })} />
}
