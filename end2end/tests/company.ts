// A company with a provider of its own: `oidc-provider`, which is certified, with its own pages.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "@playwright/test";
import Provider from "oidc-provider";

import { Server, test as base } from "./handraise.ts";

type Company = {
  issuer: string;
  groups: Record<string, string[]>;
  /** Takes people who come from these pages. */
  opens: (pages: string) => void;
};

export const test = base.extend<{ company: Company; settings: Record<string, string> }>({
  /** What the server is told besides its provider. */
  settings: async ({}, use) => use({}),

  /** A provider where everybody's name is their password. */
  company: async ({}, use) => {
    // Each has to know the other's address before it can be set up.
    let listener: RequestListener = (_, response) => response.writeHead(503).end();
    const http = createServer((request, response) => listener(request, response));
    await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
    const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const company: Company = {
      issuer,
      groups: {},
      opens(pages) {
        const provider = new Provider(issuer, {
          clients: [
            {
              client_id: "handraise",
              client_secret: "tin drum walks north",
              redirect_uris: [`${pages}/sign-in/with/company/back`],
              post_logout_redirect_uris: [`${pages}/sign-in`],
            },
          ],
          claims: { openid: ["sub"], profile: ["name"], groups: ["groups"] },
          scopes: ["openid", "profile", "groups"],
          cookies: { keys: ["a key of this test"] },
          findAccount: (_: unknown, id: string) => ({
            accountId: id,
            claims: () => ({ sub: id, name: id, groups: company.groups[id] ?? [] }),
          }),
        });
        listener = provider.callback();
      },
    };
    await use(company);
    http.closeAllConnections();
    await new Promise((done) => http.close(done));
  },

  server: async ({ company, settings }, use) => {
    const server = await Server.start({
      ...settings,
      HANDRAISE_PROVIDERS: JSON.stringify([
        {
          key: "company",
          name: "Company",
          issuer: company.issuer,
          client_id: "handraise",
          client_secret: "tin drum walks north",
          scopes: ["openid", "profile", "groups"],
          role_claim: "groups",
          roles: { staff: "viewer", "on-call": "responder", ops: "admin" },
          team_claim: "groups",
          teams: { "pay-desk": "Payments", "search-desk": [{ team: "Search", part: "answers" }] },
          newcomers: "claim",
        },
      ]),
    });
    company.opens(server.printedUrl());
    await use(server);
    await server.remove();
  },

  watch: async ({ watch, company }, use) => {
    // Its pages have a font from elsewhere, and are not ours.
    watch.allow(new RegExp(`request to (${company.issuer}|https://fonts\\.)`));
    watch.allow(/console: .*(fonts\.|ERR_FAILED|Failed to load resource|Content Security Policy|favicon)/);
    await use(watch);
  },

  openBrowser: async ({ openBrowser }, use) => {
    await use(async (options) => {
      const page = await openBrowser(options);
      await page.context().route(/^https:\/\/fonts\./, (route) => route.abort());
      return page;
    });
  },
});

/** On the provider's own pages. */
export async function signInThere(page: Page, name: string): Promise<void> {
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill(name);
  await page.locator("button[type=submit]").click();
  // Which asks whether Handraise may know who they are.
  await page.getByRole("button", { name: "Continue" }).click();
}

/** From the button to the desk, in a browser of their own. */
export async function comesBy(page: Page, pages: string, name: string): Promise<void> {
  await page.goto(`${pages}/sign-in`);
  await page.getByRole("link", { name: "Sign in with Company" }).click();
  await signInThere(page, name);
}
