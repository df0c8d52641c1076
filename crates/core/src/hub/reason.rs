//! Why a hub refuses something, by name: what whoever asked acts on.

/// Defines [`Reason`]: variant and name.
macro_rules! reasons {
    ($($variant:ident $name:literal;)*) => {
        /// What went wrong at the hub.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Reason {
            $($variant,)*
        }

        impl Reason {
            /// The stable snake_case name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// `None` for a name that this version does not know.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

reasons! {
    ApprovalStale "approval_stale";
    ClaimLost "claim_lost";
    Claimed "claimed";
    CommentNotFound "comment_not_found";
    DatabaseNotFound "database_not_found";
    DatabaseRefused "database_refused";
    DatabaseUnavailable "database_unavailable";
    DocumentTooLarge "document_too_large";
    Forbidden "forbidden";
    GrantNotFound "grant_not_found";
    HashMismatch "hash_mismatch";
    InternalError "internal_error";
    InvalidArgument "invalid_argument";
    InvalidBody "invalid_body";
    InvalidClaim "invalid_claim";
    InvalidDatabase "invalid_database";
    InvalidDocument "invalid_document";
    InvalidHash "invalid_hash";
    InvalidHead "invalid_head";
    InvalidItem "invalid_item";
    InvalidKey "invalid_key";
    InvalidName "invalid_name";
    InvalidPush "invalid_push";
    InvalidRepo "invalid_repo";
    InvalidView "invalid_view";
    ItemNotFound "item_not_found";
    KeyReused "key_reused";
    MethodNotAllowed "method_not_allowed";
    MissingBlobs "missing_blobs";
    NeedsCheckout "needs_checkout";
    NoRepository "no_repository";
    NotFound "not_found";
    NothingReady "nothing_ready";
    OriginNotAllowed "origin_not_allowed";
    PageUnavailable "page_unavailable";
    ProtocolMismatch "protocol_mismatch";
    RepoNotFound "repo_not_found";
    RoleInsufficient "role_insufficient";
    SchemaMismatch "schema_mismatch";
    Stale "stale";
    TokenNotFound "token_not_found";
    TooManyDocuments "too_many_documents";
    Unauthorized "unauthorized";
    UnsafePath "unsafe_path";
    ViewNotFound "view_not_found";
    ViewTooLarge "view_too_large";
}
