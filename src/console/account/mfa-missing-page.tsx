import { verifySession } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { FactorForm } from '../enter/factor-form.js';
import { queries } from '../session/queries.js';
import { logOut, platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { View } from '../ui/view.js';
import { factorsOf, useMfa } from './mfa.js';
import { Organizations } from './organizations.js';
import { SecondFactor } from './second-factor.js';

/** Instead of all pages, while the organization demands a second factor that the session lacks. */
export default function MfaMissingPage(): JSX.Element {
  const mfa = useMfa();
  return (
    <Entrance title="A second factor is needed">
      <p>Your organization demands a second factor. Its pages show when this session is proved by one.</p>
      <View query={mfa} what="your second factor">
        {(state) =>
          factorsOf(state).length === 0 ? (
            <SecondFactor />
          ) : (
            <FactorForm
              methods={factorsOf(state)}
              button="Continue"
              send={(body) => verifySession(platform, { body })}
              done={() => void queries.invalidateQueries()}
            />
          )
        }
      </View>
      <Organizations />
      <div class="actions">
        <button type="button" onClick={() => void logOut()}>
          Log out
        </button>
      </div>
    </Entrance>
  );
}
