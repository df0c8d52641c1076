use proptest::prelude::*;

use super::*;

/// What a file shows, as `kind name` with line, without tests.
fn seen(path: &str, text: &str) -> Vec<String> {
    let found = read_file(path, text).sightings.into_iter();
    let mut shown: Vec<(u32, String)> = found
        .filter(|one| !matches!(one.kind, Kind::Test | Kind::Function))
        .map(|one| (one.line, format!("{}:{} {}", one.line, one.kind, one.name)))
        .collect();
    shown.sort();
    shown.into_iter().map(|(_, text)| text).collect()
}

fn functions(path: &str, text: &str) -> Vec<String> {
    let found = read_file(path, text).sightings.into_iter();
    found.filter(|one| one.kind == Kind::Function).map(|one| one.name).collect()
}

fn tests(path: &str, text: &str) -> Vec<String> {
    let found = read_file(path, text).sightings.into_iter();
    found.filter(|one| one.kind == Kind::Test).map(|one| format!("{}:{}", one.line, one.name)).collect()
}

#[test]
fn rust_shows_axum_actix_clap_and_its_environment() {
    let text = r#"
use axum::{Router, routing::{get, post}};
fn app() -> Router {
    Router::new()
        .route("/users", get(list).post(create))
        .route("/users/{id}", get(show))
}
#[get("/health")]
async fn health() {}
#[derive(Parser)]
struct Cli {
    /// The port
    #[arg(long, env = "APP_PORT")]
    listen_port: u16,
    #[arg(long = "verbose", short, env)]
    pub(crate) loud: bool,
    path: String,
}
#[derive(Debug, Subcommand)]
enum Command {
    /// Serve
    Serve(ServeArgs),
    #[command(name = "db")]
    Database { #[arg(long)] dry_run: bool },
    ListAll,
}
fn main() { let key = std::env::var("API_KEY"); sqlx::query("CREATE TABLE IF NOT EXISTS users (id int)"); }
#[cfg(test)]
mod tests {
    #[test]
    fn reads() { std::env::var("ONLY_IN_TESTS"); }
}
"#;
    assert_eq!(
        seen("src/main.rs", text),
        [
            "5:route GET /users",
            "5:route POST /users",
            "6:route GET /users/{id}",
            "8:route GET /health",
            "13:variable APP_PORT",
            "14:flag --listen-port",
            "16:flag --verbose",
            "16:variable LOUD",
            "22:command serve",
            "24:command db",
            "24:flag --dry-run",
            "25:command list-all",
            "27:table users",
            "27:variable API_KEY",
        ]
    );
    assert_eq!(tests("src/main.rs", text), ["31:reads"]);
    assert_eq!(
        functions("src/lib.rs", "pub fn a() {}\npub(crate) fn b() {}\npub async fn c() {}\nfn d() {}"),
        ["a", "c"]
    );
}

#[test]
fn scripts_show_express_fastify_next_and_commander() {
    let text = r"
const app = express();
app.get('/users/:id', show);
router.route('/things').get(list).post(create);
fastify.route({ method: 'PUT', url: '/f/:x', handler });
axios.get('/not/ours');
program.command('build <dir>').option('-w, --watch', 'again').option('--out-dir <dir>');
const url = process.env.DATABASE_URL ?? process.env['REDIS_URL'];
cron.schedule('0 * * * *', tidy);
";
    assert_eq!(
        seen("src/server.ts", text),
        [
            "3:route GET /users/{id}",
            "4:route GET /things",
            "4:route POST /things",
            "5:route PUT /f/{x}",
            "7:command build",
            "7:flag --out-dir",
            "7:flag --watch",
            "8:variable DATABASE_URL",
            "8:variable REDIS_URL",
            "9:job 0 * * * *",
        ]
    );
    assert_eq!(
        seen("app/api/users/[id]/route.ts", "export async function GET(r) {}\nexport const POST = h;"),
        ["1:route GET /api/users/{id}", "2:route POST /api/users/{id}"]
    );
    assert_eq!(seen("app/(shop)/cart/page.tsx", "export default function Cart() {}"), ["1:route GET /cart"]);
    assert_eq!(
        seen("pages/api/hello.ts", "export default function handler(a, b) {}"),
        ["1:route ANY /api/hello"]
    );
    assert_eq!(tests("a.test.ts", "describe('x', () => {\n  it('works', () => {});\n});"), ["2:works"]);
    assert_eq!(
        functions(
            "lib.ts",
            "export function a() {}\nexport const b = (x: number): string => 'y';\nexport const c = 3;\nexport default async function d() {}"
        ),
        ["a", "b", "d"]
    );
}

#[test]
fn python_shows_fastapi_flask_django_click_and_its_jobs() {
    let text = r#"
router = APIRouter(prefix="/items")
@router.get("/{item_id}")
async def read_item(item_id): ...
@app.route("/login", methods=["GET", "POST"])
def login(): ...
@cli.command()
@click.option("--count", default=1)
def say_hello(count): ...
@shared_task
def send_mail(): ...
class Book(models.Model):
    title = models.CharField()
class Row(Base):
    __tablename__ = "rows"
KEY = os.environ["SECRET_KEY"]
OTHER = os.getenv("OTHER", "x")
"#;
    assert_eq!(
        seen("app/main.py", text),
        [
            "3:route GET /items/{item_id}",
            "5:route GET /login",
            "5:route POST /login",
            "7:command say-hello",
            "8:flag --count",
            "10:job send_mail",
            "12:table Book",
            "15:table rows",
            "16:variable SECRET_KEY",
            "17:variable OTHER",
        ]
    );
    assert_eq!(
        seen(
            "shop/urls.py",
            "urlpatterns = [\n    path('books/<int:pk>/', views.book),\n    path('', views.home),\n]"
        ),
        ["2:route ANY /books/{pk}", "3:route ANY /"]
    );
    let urls = r"
router.register(r'articles', ArticleViewSet)
urlpatterns = [
    url(r'^api/', include('shop.urls')),
    url(r'^articles/(?P<slug>[-\w]+)/comments/(?P<pk>(\d+|new))/?$', Comments.as_view()),
    re_path(r'^feed\.xml$', feed),
]";
    assert_eq!(
        seen("shop/urls.py", urls),
        ["2:route ANY /articles", "5:route ANY /articles/{slug}/comments/{pk}", "6:route ANY /feed.xml"]
    );
    let models = r"
class Stamped(models.Model):
    at = models.DateTimeField()
    class Meta:
        abstract = True
class Article(Stamped):
    title = models.CharField()
class Migration(migrations.Migration):
    operations = [migrations.AddField('x', 'y', models.CharField())]
class View(APIView):
    pass
";
    assert_eq!(seen("shop/models.py", models), ["6:table Article"]);
    assert_eq!(tests("test_app.py", "def test_login():\n    client.post('/login')\n"), ["1:test_login"]);
    assert_eq!(
        functions(
            "pkg/a.py",
            "def f(): ...\ndef _g(): ...\nclass A:\n    def m(self): ...\nasync def h(): ..."
        ),
        ["f", "h"]
    );
}

#[test]
fn go_shows_gin_groups_and_handlers_of_its_library() {
    let text = r#"package main
func Routes(r *gin.Engine) {
	v1 := r.Group("/v1")
	v1.GET("/users/:id", getUser)
	r.POST("/login", login)
	r.GET("version", version)
	r.Group("/user").Use(auth).POST("", create)
	r.Match([]string{"GET", "HEAD"}, "/ready", ready)
	http.HandleFunc("GET /health", health)
	port := os.Getenv("PORT")
}
var cmd = &cobra.Command{
	Use:   "serve [flags]",
}
func (s *Server) Start() {}
func helper() {}
"#;
    assert_eq!(
        seen("main.go", text),
        [
            "4:route GET /v1/users/{id}",
            "5:route POST /login",
            "6:route GET /version",
            "7:route POST /user",
            "8:route GET /ready",
            "8:route HEAD /ready",
            "9:route GET /health",
            "10:variable PORT",
            "13:command serve",
        ]
    );
    assert_eq!(functions("main.go", text), ["Routes", "Start"]);
    assert_eq!(tests("main_test.go", "func TestLogin(t *testing.T) {\n\ttest(\"no\")\n}\n"), ["1:TestLogin"]);
}

#[test]
fn java_and_csharp_show_controllers_with_their_prefix() {
    let text = r#"
@RestController
@RequestMapping("/api/orders")
public class OrderController {
    @GetMapping("/{id}")
    public Order get(@PathVariable Long id) { return null; }
    @PostMapping
    public Order create() { return null; }
    @Scheduled(cron = "0 0 * * * *")
    public void tidy() { System.getenv("TIDY_AT"); }
}
@Entity
@Table(name = "orders")
class Order {}
"#;
    assert_eq!(
        seen("src/main/java/OrderController.java", text),
        [
            "5:route GET /api/orders/{id}",
            "7:route POST /api/orders",
            "9:job tidy",
            "10:variable TIDY_AT",
            "13:table orders",
        ]
    );
    let text = r#"
[ApiController]
[Route("api/[controller]")]
public class UsersController : ControllerBase {
    [HttpGet("{id}")]
    public User Get(int id) => null;
    [HttpPost]
    public User Create() => null;
}
public class Tidy : BackgroundService { }
public class Db : DbContext { public DbSet<User> Users { get; set; } }
static class More { static IQueryable<User> All(this DbSet<User> users) => users.Where(x => x.On); }
class P { void M() { app.MapGet("/health", () => "ok"); Environment.GetEnvironmentVariable("PORT"); } }
"#;
    assert_eq!(
        seen("Controllers/UsersController.cs", text),
        [
            "5:route GET /api/users/{id}",
            "7:route POST /api/users",
            "10:job Tidy",
            "11:table Users",
            "13:route GET /health",
            "13:variable PORT",
        ]
    );
}

#[test]
fn sql_is_read_wherever_it_stands() {
    assert_eq!(
        seen(
            "db/1.sql",
            "-- create table no (a int);\nCREATE TABLE IF NOT EXISTS \"shop\".\"orders\" (id int);\ncreate temp table t(x int);"
        ),
        ["2:table shop.orders", "3:table t"]
    );
    assert_eq!(seen("schema.prisma", "model User {\n  id Int\n}\n"), ["1:table User"]);
}

#[test]
fn a_test_mentions_what_it_calls_whatever_the_parameters() {
    let found =
        read_file("tests/api.rs", "#[test]\nfn shows_a_user() { get(\"http://localhost/users/42?x=1\"); }\n");
    let wanted = mention_of(Kind::Route, "GET /users/{id}");
    assert!(found.mentions[0].all().any(|mention| mention == wanted), "{found:?}");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[a-z@#\\[\\](){}<>.:=\"'`/, \n]{0,200}") {
        for path in ["a.rs", "a.ts", "a.py", "a.go", "a.java", "a.cs", "a.sql", "app/x/route.ts", "urls.py"] {
            let found = read_file(path, &text);
            let tests = found.sightings.iter().filter(|one| one.kind == Kind::Test).count();
            prop_assert_eq!(tests, found.mentions.len());
        }
    }
}

#[test]
fn a_parameter_of_a_template_is_one_and_short_forms_of_flask_are_flasks() {
    let text = "app.get(`/users/${user.id}/posts/${a / b}`, show);\napp.get(`/v${version}/x`, x);\n";
    assert_eq!(seen("a.ts", text), ["1:route GET /users/{id}/posts/{b}", "2:route GET /v{version}/x"]);
    let by = |text: &str| {
        let found = read_file("a.py", text).sightings;
        found.iter().find(|one| one.kind == Kind::Route).map(|one| one.by)
    };
    assert_eq!(by("from flask import Flask\n@app.get('/x')\ndef x(): pass\n"), Some("flask"));
    assert_eq!(by("from fastapi import FastAPI\n@app.get('/x')\ndef x(): pass\n"), Some("fastapi"));
}
